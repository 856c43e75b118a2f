# Functions of test.sh that start Hadoop's daemons from $cache/hadoop: a name node and a resource manager on this
# machine, and on each host a data node and a node manager, whose containers run as the user $tasks.
# Each block is on all hosts, so that Hadoop survives one that is killed.
#   hadoopConf DIR [PROPERTY…]   writes the configuration; properties are added to the files of all parts
#   hadoopClient CLASS           prints the command that runs a client's class
#   hdfsStart, yarnStart         start the daemons of the configuration
# shellcheck shell=bash disable=SC2046,SC2154 # test.sh has the variables, and commands are lists of words

hadoop() {
	command -v java >/dev/null && command -v mvn >/dev/null || return 1
	java -version 2>&1 | grep -q 'version "1[7-9]\|version "2' || return 1
	[ -e "$cache/hadoop/done" ] || {
		mkdir -p "$cache/hadoop" && cp internal/tools/engines/pom.xml "$cache/hadoop/" &&
			(cd "$cache/hadoop" && timeout 300 mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib) && touch "$cache/hadoop/done" || return
	}
	[ -e "$cache/hadoop/classes.jsa" ] || archive || echo "no archive of Hadoop's classes: jobs take longer"
}

# The many processes of Hadoop map an archive of its classes instead of loading and verifying each class: a job
# of YARN takes a sixth less processor time. Making it takes a minute, once.
archive() {
	local lib=$cache/hadoop/lib java; java=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
	{
		cat "$java/lib/classlist"
		for jar in "$lib"/{hadoop-,guava,reload4j,slf4j,woodstox,stax2,commons-}*.jar; do python3 -m zipfile -l "$jar"; done |
			sed -n 's,^\([^ -]*\)\.class .*,\1,p' | sort -u
	} >"$cache/hadoop/classes" && java -Xshare:dump -XX:+UseSerialGC -XX:SharedClassListFile="$cache/hadoop/classes" \
		-XX:SharedArchiveFile="$cache/hadoop/classes.jsa" -cp "$lib/*" >"$cache/hadoop/archive.log" 2>&1
}
quick="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:SharedArchiveFile=$cache/hadoop/classes.jsa" # of each process

log4j() {
	cat >"$1/log4j.properties" <<-'EOT'
		log4j.rootLogger=INFO,console
		log4j.appender.console=org.apache.log4j.ConsoleAppender
		log4j.appender.console.target=System.err
		log4j.appender.console.layout=org.apache.log4j.PatternLayout
		log4j.appender.console.layout.ConversionPattern=%p %c{1}: %m%n
	EOT
}

property() { echo "<property><name>$1</name><value>$2</value></property>"; }

hadoopConf() {
	conf=$1 fs=$(address 254):27020
	local jars="$cache/hadoop/lib/*" task
	task="-Xmx384m $quick -cp $jars:$conf:./*" # what the archive was made from comes first
	mkdir -p "$conf" && log4j "$conf"
	cat >"$conf/core-site.xml" <<-EOT
		<configuration>
		$(property fs.defaultFS "hdfs://$fs")
		${*:2}
		</configuration>
	EOT
	cat >"$conf/hdfs-site.xml" <<-EOT
		<configuration>
		$(property dfs.replication 3)
		$(property dfs.client.block.write.replace-datanode-on-failure.policy NEVER)
		$(property dfs.blocksize 1m)
		$(property dfs.namenode.fs-limits.min-block-size 0)
		$(property dfs.permissions.enabled false)
		$(property dfs.namenode.http-address "$(address 254):27070")
		$(property dfs.namenode.name.dir "$conf/names")
		$(property dfs.namenode.datanode.registration.ip-hostname-check false)
		$(property dfs.datanode.round-robin-volume-choosing-policy.additional-available-space 0)
		${*:2}
		</configuration>
	EOT
	cat >"$conf/yarn-site.xml" <<-EOT
		<configuration>
		$(property yarn.resourcemanager.hostname "$(address 254)")
		$(property yarn.nodemanager.aux-services mapreduce_shuffle)
		$(property yarn.nodemanager.vmem-check-enabled false)
		$(property yarn.nodemanager.pmem-check-enabled false)
		$(property yarn.nodemanager.resource.memory-mb 2048)
		$(property yarn.nodemanager.resource.cpu-vcores 4)
		$(property yarn.nodemanager.delete.debug-delay-sec 0)
		$(property yarn.nodemanager.localizer.cache.target-size-mb 100)
		$(property yarn.nodemanager.localizer.cache.cleanup.interval-ms 30000)
		$(property yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage 99.9)
		$(property yarn.nm.liveness-monitor.expiry-interval-ms 40000)
		$(property yarn.am.liveness-monitor.expiry-interval-ms 90000)
		$(property yarn.client.nodemanager-connect.max-wait-ms 10000)
		$(property yarn.resourcemanager.nodemanagers.heartbeat-interval-ms 100)
		$(property yarn.scheduler.minimum-allocation-mb 256)
		$(property yarn.scheduler.capacity.root.default.maximum-am-resource-percent 0.5)
		$(property yarn.log-aggregation-enable true)
		$(property yarn.application.classpath "$conf:$jars")
		${*:2}
		</configuration>
	EOT
	cat >"$conf/mapred-site.xml" <<-EOT
		<configuration>
		$(property mapreduce.framework.name yarn)
		$(property mapreduce.application.classpath "$jars")
		$(property mapreduce.shuffle.port 0)
		$(property mapreduce.jobhistory.address "$(address 254):27100")
		$(property mapreduce.jobhistory.webapp.address "$(address 254):27101")
		$(property mapreduce.jobhistory.admin.address "$(address 254):27102")
		$(property mapreduce.jobhistory.intermediate-done-dir /ended)
		$(property mapreduce.jobhistory.done-dir /history)
		$(property yarn.app.mapreduce.am.staging-dir /staging)
		$(property yarn.app.mapreduce.am.resource.mb 512)
		$(property yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms 100)
		$(property mapreduce.client.completion.pollinterval 1000)
		$(property yarn.app.mapreduce.am.command-opts "$task")
		$(property mapreduce.map.memory.mb 512)
		$(property mapreduce.reduce.memory.mb 512)
		$(property mapred.child.java.opts "$task")
		${*:2}
		</configuration>
	EOT
}

hadoopClient() {
	echo java -Xmx512m "$quick" "${javaOptions[@]}" "-Dlog4j.configuration=file:$conf/log4j.properties" \
		--add-opens java.base/java.lang=ALL-UNNAMED -cp "$cache/hadoop/lib/*:$conf" "org.apache.hadoop.$1"
}

daemon() { # CLASS USER N OPTIONS…: starts a daemon on host N
	local class=$1 user=$2 n=$3
	(on "$n" "$user" $(hadoopClient "$class") "${@:4}") >"$conf/${class##*.}$n.log" 2>&1 &
	stops+=("kill $!")
}

hdfsStart() {
	$(hadoopClient hdfs.server.namenode.NameNode) -format >"$conf/format.log" 2>&1
	$(hadoopClient hdfs.server.namenode.NameNode) >"$conf/names.log" 2>&1 &
	local names=$! n
	stops+=("kill $names")
	for n in 1 2 3; do
		daemon hdfs.server.datanode.DataNode 0 "$n" -D "dfs.datanode.hostname=$(address "$n")" -D "dfs.datanode.data.dir=$(disk "$n")/blocks" \
			-D "dfs.datanode.address=0.0.0.0:2711$n" -D "dfs.datanode.http.address=0.0.0.0:2712$n" -D "dfs.datanode.ipc.address=0.0.0.0:2713$n"
	done
	until [ "$(grep -s -c registerDatanode "$conf/names.log")" = 3 ]; do kill -0 $names && sleep 0.2; done
}

yarnStart() {
	$(hadoopClient yarn.server.resourcemanager.ResourceManager) >"$conf/resources.log" 2>&1 &
	local resources=$! n
	$(hadoopClient mapreduce.v2.hs.JobHistoryServer) >"$conf/history.log" 2>&1 &
	stops+=("kill $resources" "kill $!")
	for n in 1 2 3; do
		daemon yarn.server.nodemanager.NodeManager "$tasks" "$n" -D "yarn.nodemanager.hostname=$(address "$n")" \
			-D "yarn.nodemanager.local-dirs=$(disk "$n")/yarn" -D "yarn.nodemanager.log-dirs=$(disk "$n")/yarn-logs" \
			-D "yarn.nodemanager.webapp.address=0.0.0.0:2714$n" -D "yarn.nodemanager.localizer.address=0.0.0.0:2715$n"
	done
	until [ "$(grep -s -c 'NodeManager from node .* registered' "$conf/resources.log")" = 3 ]; do kill -0 $resources && sleep 0.2; done
}
