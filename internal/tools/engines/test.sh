#!/usr/bin/env bash
# Installs real engines into a cache folder, by the ordinary clients (Maven, pip, apt), starts them,
# runs the table of actors/worker/engines_test.go on each, those of stores on HDFS and S3, and stops what it has started.
# Spark and Slurm run on three hosts (hosts.sh), or on this machine alone if it lacks namespaces. An engine that cannot be
# installed is named as not tested.
#   internal/tools/engines/test.sh             all: some forty minutes on two cores, after the first time
#   internal/tools/engines/test.sh yarn        one of them: light, yarn (and HDFS), kerberos (HDFS alone), spark, slurm, s3, beam
#   internal/tools/engines/test.sh yarn 'TestOnEngines/.*/kill'    what go test -run takes
#   internal/tools/engines/test.sh light       Hadoop Streaming in one process: a minute
#   internal/tools/engines/test.sh 's3 slurm spark' none    several of them, here S3 with Slurm and with Spark and nothing else
#   internal/tools/engines/test.sh 'hdfs spark' none    Spark on hosts that store the blocks of an HDFS, too
#   internal/tools/engines/test.sh yarn -- COMMAND…    starts an engine, has one command find it, and stops it
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/../../.."
here=$PWD
cache=${TARRY_ENGINES:-$HOME/.cache/tarry-engines}
only=${1:-all}
rows=${2:-OnEngines|TestSparkProgram}
command=()
[ "$rows" = -- ] && command=("${@:3}")
mkdir -p "$cache"
work=$(mktemp -d)
missing=()
stops=()
stop() {
	for s in "${stops[@]}"; do eval "$s" >/dev/null 2>&1 || true; done
	rm -rf "$work" 2>/dev/null || { sleep 1 && rm -rf "$work"; } # daemons that end may still write
}
trap stop EXIT
hosts=$here/internal/tools/engines/hosts.sh
on() { # N USER COMMAND…: runs it on host N
	if [ -n "${TARRY_TEST_HOSTS:-}" ]; then exec "$hosts" run "$TARRY_TEST_HOSTS" "$@"; else "${@:3}"; fi
}
address() { [ -n "${TARRY_TEST_HOSTS:-}" ] && echo "10.77.0.$1" || echo "127.0.0.$1"; }
wanted() { [ "$only" = all ] || [[ " $only " == *" $1 "* ]]; }
streaming() { # CONF: the command that runs Streaming with that configuration
	echo "java -Xmx512m --add-opens java.base/java.lang=ALL-UNNAMED -cp $1:$cache/hadoop/lib/* org.apache.hadoop.streaming.HadoopStreaming"
}

hadoop() {
	command -v java >/dev/null && command -v mvn >/dev/null || return 1
	java -version 2>&1 | grep -q 'version "1[7-9]\|version "2' || return 1
	[ -e "$cache/hadoop/done" ] && return
	mkdir -p "$cache/hadoop" && cp internal/tools/engines/pom.xml "$cache/hadoop/" &&
		(cd "$cache/hadoop" && timeout 300 mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib) && touch "$cache/hadoop/done"
}

log4j() {
	cat >"$1/log4j.properties" <<-'EOF'
		log4j.rootLogger=INFO,console
		log4j.appender.console=org.apache.log4j.ConsoleAppender
		log4j.appender.console.target=System.err
		log4j.appender.console.layout=org.apache.log4j.PatternLayout
		log4j.appender.console.layout.ConversionPattern=%p %c{1}: %m%n
	EOF
}

if wanted light || wanted yarn; then
	if hadoop; then
		if wanted light; then
			mkdir "$work/light" && log4j "$work/light"
			export TARRY_TEST_LIGHT=yarn TARRY_TEST_LIGHT_HADOOP
			TARRY_TEST_LIGHT_HADOOP=$(streaming "$work/light")
		fi
		if wanted yarn; then
			mkfifo "$work/fifo"
			java -Xmx1g --add-opens java.base/java.lang=ALL-UNNAMED -cp "$cache/hadoop/lib/*" internal/tools/engines/MiniHadoop.java \
				"$work/yarn" 2 2 <"$work/fifo" >"$work/yarn.log" 2>&1 &
			server=$!
			exec 9>"$work/fifo" # it ends with its standard input
			stops+=("exec 9>&-" "kill $server")
			until grep -q ^READY "$work/yarn.log"; do kill -0 $server && sleep 1; done
			log4j "$work/yarn/conf"
			export TARRY_TEST_YARN=yarn TARRY_TEST_YARN_HADOOP
			TARRY_TEST_YARN_HADOOP=$(streaming "$work/yarn/conf")
			export HADOOP_CONF_DIR=$work/yarn/conf TARRY_TEST_HDFS
			TARRY_TEST_HDFS=$(sed -n 's,.*fs=hdfs://\([^ ]*\) .*,\1,p' "$work/yarn.log")
		fi
	else
		missing+=("Hadoop: it needs java 17 and mvn")
	fi
fi

if wanted spark || wanted slurm; then
	chmod 755 "$work"
	if "$hosts" start "$work/hosts" 3 500m && "$hosts" join "$work/hosts"; then
		export TARRY_TEST_HOSTS=$work/hosts
	else
		alone="hosts: they need root and namespaces of Linux"
	fi
	stops+=("$hosts stop $work/hosts")
fi

# HDFS with a datanode on each host and one replica, so that it matters on which host a map runs.
dfs() { echo java -Xmx256m -cp "$work/dfs:$cache/hadoop/lib/*" "org.apache.hadoop.hdfs.server.$1"; }
property() { echo "<property><name>$1</name><value>$2</value></property>"; }
if [[ " $only " == *" hdfs "* ]]; then # all runs it by itself, as it does Kerberos
	if hadoop && [ -n "${TARRY_TEST_HOSTS:-}" ]; then
		mkdir "$work/dfs"
		echo "<configuration>$(property fs.defaultFS "hdfs://$(address 254):27020")</configuration>" >"$work/dfs/core-site.xml"
		cat >"$work/dfs/hdfs-site.xml" <<-EOF
			<configuration>
			$(property dfs.replication 1)
			$(property dfs.blocksize 1m)
			$(property dfs.permissions.enabled false)
			$(property dfs.namenode.http-address "$(address 254):27070")
			$(property dfs.namenode.name.dir "$work/dfs/names")
			$(property dfs.namenode.datanode.registration.ip-hostname-check false)
			$(property dfs.datanode.data.dir "$TARRY_TEST_HOSTS/tmp/blocks")
			$(property dfs.datanode.round-robin-volume-choosing-policy.additional-available-space 0)
			</configuration>
		EOF
		log4j "$work/dfs"
		$(dfs namenode.NameNode) -format >"$work/dfs/format.log" 2>&1
		$(dfs namenode.NameNode) >"$work/dfs/names.log" 2>&1 &
		stops+=("kill $!")
		for n in 1 2 3; do (on "$n" 0 $(dfs datanode.DataNode) -D "dfs.datanode.hostname=$(address "$n")") >"$work/dfs/blocks$n.log" 2>&1 & done
		until [ "$(grep -s -c registerDatanode "$work/dfs/names.log")" = 3 ]; do kill -0 "$!" && sleep 0.2; done
		export HADOOP_CONF_DIR=$work/dfs
	else
		missing+=("HDFS on hosts: it needs java 17, mvn, and Spark or Slurm on hosts")
	fi
fi

# Two servers of S3 that differ: moto, in Python, and versitygw, on a folder.
moto() {
	[ -e "$cache/moto/done" ] && return
	python3 -m venv "$cache/moto" && "$cache/moto/bin/pip" install -q 'moto[server]==5.2.5' && touch "$cache/moto/done"
}
versitygw() {
	[ -x "$cache/versitygw/versitygw" ] && return
	(cd / && GOBIN=$cache/versitygw go install github.com/versity/versitygw/cmd/versitygw@v1.8.0)
}
serves() { until curl -s -o /dev/null "$1"; do sleep 0.2; done; }
s3=()
if wanted s3; then
	export AWS_ACCESS_KEY_ID=tarry AWS_SECRET_ACCESS_KEY=tarry-secret
	if moto; then
		"$cache/moto/bin/moto_server" -H "$(address 254)" -p 25000 >"$work/moto.log" 2>&1 &
		stops+=("kill $!")
		s3+=("http://$(address 254):25000")
	else
		missing+=("S3 of moto: it needs python3 with venv and pip")
	fi
	if versitygw; then
		mkdir "$work/versitygw"
		ROOT_ACCESS_KEY=$AWS_ACCESS_KEY_ID ROOT_SECRET_KEY=$AWS_SECRET_ACCESS_KEY "$cache/versitygw/versitygw" \
			--port "$(address 254):25001" posix "$work/versitygw" >"$work/versitygw.log" 2>&1 &
		stops+=("kill $!")
		s3+=("http://$(address 254):25001")
		export AWS_ENDPOINT_URL=${s3[-1]} AWS_REGION=us-east-1 # for workers of Spark, too
	else
		missing+=("S3 of versitygw: it could not be built")
	fi
fi

# HDFS with Kerberos, whose user is ada.
kerberos() {
	hadoop && { command -v krb5kdc >/dev/null || { [ "$(id -u)" = 0 ] &&
		apt-get install -y -q krb5-kdc krb5-admin-server krb5-user >"$work/apt.log" 2>&1; }; }
}
if [[ " $only " == *" kerberos "* ]]; then # all runs it by itself, since YARN has an HDFS, too
	if kerberos; then
		mkdir -p "$work/kdc"
		export KRB5_CONFIG=$work/kdc/krb5.conf KRB5_KDC_PROFILE=$work/kdc/kdc.conf KRB5CCNAME=FILE:$work/kdc/ticket
		cat >"$KRB5_CONFIG" <<-EOF
			[libdefaults]
				default_realm = TARRY
				dns_lookup_kdc = false
				dns_lookup_realm = false
				udp_preference_limit = 1
			[realms]
				TARRY = {
					kdc = 127.0.0.1:27088
				}
		EOF
		cat >"$KRB5_KDC_PROFILE" <<-EOF
			[kdcdefaults]
				kdc_listen = 127.0.0.1:27088
				kdc_tcp_listen = 127.0.0.1:27088
			[realms]
				TARRY = {
					database_name = $work/kdc/principal
					key_stash_file = $work/kdc/stash
				}
		EOF
		kdb5_util create -s -r TARRY -P tarry >"$work/kdc/log" 2>&1
		for name in hdfs/localhost HTTP/localhost ada; do
			kadmin.local -q "addprinc -randkey $name" >>"$work/kdc/log" 2>&1
			kadmin.local -q "ktadd -k $work/kdc/keytab $name" >>"$work/kdc/log" 2>&1
		done
		krb5kdc -n >>"$work/kdc/log" 2>&1 &
		stops+=("kill $!")
		mkfifo "$work/secure"
		java -Xmx512m -Djava.security.krb5.conf="$KRB5_CONFIG" --add-opens java.base/java.lang=ALL-UNNAMED -cp "$cache/hadoop/lib/*" \
			internal/tools/engines/MiniHadoop.java "$work/hdfs" 2 0 "$work/kdc/keytab" hdfs/localhost@TARRY HTTP/localhost@TARRY \
			<"$work/secure" >"$work/hdfs.log" 2>&1 &
		secure=$!
		exec 8>"$work/secure"
		stops+=("exec 8>&-" "kill $secure")
		until grep -q ^READY "$work/hdfs.log"; do kill -0 $secure && sleep 1; done
		kinit -k -t "$work/kdc/keytab" ada
		export HADOOP_CONF_DIR=$work/hdfs/conf TARRY_TEST_HDFS
		TARRY_TEST_HDFS=$(sed -n 's,.*fs=hdfs://\([^ ]*\) .*,\1,p' "$work/hdfs.log")
	else
		missing+=("Kerberos: it needs java 17, mvn, Debian and root")
	fi
fi

spark() {
	command -v java >/dev/null || return 1
	[ -e "$cache/spark/done" ] && return
	python3 -m venv "$cache/spark" && "$cache/spark/bin/pip" install -q pyspark==4.3.0 && touch "$cache/spark/done"
}

if wanted spark; then
	if spark; then
		SPARK_HOME=$(echo "$cache"/spark/lib/python3*/site-packages/pyspark)
		export SPARK_HOME PYSPARK_PYTHON="$cache/spark/bin/python" PYSPARK_DRIVER_PYTHON="$cache/spark/bin/python"
		export TARRY_TEST_SPARK='local[2]' TARRY_TEST_SPARK_CLUSTER='local-cluster[2,1,1024]'
		# Copies of slow tasks are on; a copy goes to another host only. Tasks run as another user, if there are hosts.
		export SPARK_CONF_DIR=$work/spark/conf TARRY_TEST_SPARK_HOSTS
		TARRY_TEST_SPARK_HOSTS=spark://$(address 254):27077
		mkdir -p "$SPARK_CONF_DIR"
		cat >"$SPARK_CONF_DIR/spark-defaults.conf" <<-EOF
			spark.driver.host $(address 254)
			spark.executor.memory 512m
			spark.ui.enabled false
			spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
			spark.executor.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
			spark.speculation true
			spark.speculation.interval 100ms
			spark.speculation.multiplier 1.1
			spark.speculation.quantile 0.5
			spark.speculation.minTaskRuntime 100ms
		EOF
		class=("$SPARK_HOME/bin/spark-class")
		"${class[@]}" org.apache.spark.deploy.master.Master --host "$(address 254)" --port 27077 --webui-port 27080 >"$work/spark/master.log" 2>&1 &
		stops+=("kill $!")
		cleanup='-Dspark.worker.cleanup.enabled=true -Dspark.worker.cleanup.interval=30 -Dspark.worker.cleanup.appDataTtl=60' # the disks are small
		for n in 1 2 3; do
			disk=${TARRY_TEST_HOSTS:-$work/spark/$n}/tmp
			mkdir -p "$disk"
			SPARK_LOCAL_IP=$(address "$n") SPARK_LOCAL_DIRS=$disk HOME=$disk SPARK_WORKER_OPTS=$cleanup on "$n" 65534 "${class[@]}" org.apache.spark.deploy.worker.Worker \
				--host "$(address "$n")" --cores 1 --memory 512m --webui-port "2708$n" \
				--work-dir "$disk/work" "$TARRY_TEST_SPARK_HOSTS" >"$work/spark/worker$n.log" 2>&1 &
			stops+=("kill $!")
		done
		until [ "$(grep -c 'Registering worker' "$work/spark/master.log")" = 3 ]; do kill -0 "$!" && sleep 0.2; done
	else
		missing+=("Spark: it needs java 17 and python3 with venv and pip")
	fi
fi

slurm() {
	command -v slurmctld >/dev/null || { [ "$(id -u)" = 0 ] && apt-get install -y -q slurm-wlm munge >"$work/apt.log" 2>&1; }
	[ "$(id -u)" = 0 ]
}

if wanted slurm; then
	if slurm; then
		pgrep -x munged >/dev/null || { service munge start && stops+=("service munge stop"); } >/dev/null
		mkdir -p "$work/slurm/state" "$work"/slurm/spool-{node1,node2,node3,"$(hostname)"}
		nodes=$(hostname) numbers='254' disk=$work/slurm # without hosts this machine is the only node
		[ -z "${TARRY_TEST_HOSTS:-}" ] || { nodes='node[1-3]' numbers='[1-3]' disk=$TARRY_TEST_HOSTS/tmp; }
		cat >"$work/slurm/slurm.conf" <<-EOF
			ClusterName=tarry
			SlurmctldHost=$(hostname)($(address 254))
			AuthType=auth/munge
			SlurmUser=root
			SlurmdUser=root
			StateSaveLocation=$work/slurm/state
			SlurmdSpoolDir=$work/slurm/spool-%n
			SlurmctldPidFile=$work/slurm/ctld.pid
			SlurmdPidFile=$work/slurm/slurmd-%n.pid
			SlurmdTimeout=40
			TaskProlog=$work/slurm/prolog.sh
			SlurmctldLogFile=$work/slurm/ctld.log
			SlurmdLogFile=$work/slurm/slurmd-%n.log
			SlurmctldPort=26817
			SlurmdPort=26818
			ProctrackType=proctrack/linuxproc
			TaskPlugin=task/none
			SchedulerType=sched/builtin
			SelectType=select/cons_tres
			SelectTypeParameters=CR_Core
			ReturnToService=2
			MpiDefault=none
			JobCompType=jobcomp/none
			AccountingStorageType=accounting_storage/none
			JobRequeue=1
			MaxArraySize=1001
			NodeName=$nodes NodeAddr=$(address "$numbers") CPUs=2 RealMemory=1000 State=UNKNOWN
			PartitionName=main Nodes=$nodes Default=YES MaxTime=INFINITE State=UP
		EOF
		export SLURM_CONF="$work/slurm/slurm.conf"
		printf '#!/bin/sh\necho export TMPDIR=%s\n' "$disk" >"$work/slurm/prolog.sh"
		chmod 755 "$work/slurm/prolog.sh"
		slurmctld
		stops+=('kill $(cat "$work/slurm/ctld.pid")')
		if [ -n "${TARRY_TEST_HOSTS:-}" ]; then
			for n in 1 2 3; do (on "$n" 0 slurmd -N "node$n"); done
		else
			slurmd -N "$(hostname)"
			stops+=('kill $(cat "$work/slurm/slurmd-$(hostname).pid")')
		fi
		until sinfo -h | grep -q idle; do sleep 1; done
		export TARRY_TEST_SLURM=slurm
	else
		missing+=("Slurm: it needs Debian and root")
	fi
fi

if [ ${#command[@]} -gt 0 ]; then # it finds Hadoop, HDFS, Spark and Slurm, and a bucket named bucket, by its environment
	[ ${#missing[@]} = 0 ] || { echo "${missing[*]}" >&2; exit 1; }
	export TARRY_HADOOP=${TARRY_TEST_YARN_HADOOP:-${TARRY_TEST_LIGHT_HADOOP:-${TARRY_HADOOP:-}}}
	if wanted s3; then mkdir "$work/versitygw/bucket" && serves "${s3[1]}"; fi
	cd "$from" && "${command[@]}" && exit 0
	exit 1
fi
cd "$here"
said='^ *(---|ok|FAIL|panic)|Error|Skip|not tested'
if [ -n "${TARRY_TEST_HDFS:-}" ]; then
	go test -count=1 -timeout 30m -v ./contrib/hdfs | grep --line-buffered -E "$said" || fail=1
fi
for server in "${s3[@]}"; do
	serves "$server"
	TARRY_TEST_S3=$server go test -count=1 -timeout 30m -v ./contrib/s3 | grep --line-buffered -E "$said" || fail=1
done
# A job in S3 on hosts of Spark that do not see the submitter's folder: they share nothing but the store.
storeOnly() {
	mkdir -p "$work/alone" "$work/versitygw/bucket"
	for n in 1 2 3; do (on "$n" 0 mount -t tmpfs none "$work/alone"); done
	go build -o "$work/alone/tarry" ./cmd/tarry
	(
		cd "$work/alone"
		./tarry gen text --size 4MB --seed 1 -o s3://bucket/words.txt
		./tarry run wordcount s3://bucket/words.txt -o s3://bucket/counts --reduces 2 --on "$TARRY_TEST_SPARK_HOSTS"
		cmp <(./tarry run sort s3://bucket/counts -q) <(./tarry run wordcount s3://bucket/words.txt -q | ./tarry run sort - -q) && echo "--- PASS: hosts with a store only"
	)
}
if wanted s3 && wanted spark && [ -n "${TARRY_TEST_HOSTS:-}" ] && [ ${#s3[@]} = 2 ]; then storeOnly || fail=1; fi
# A job of Spark on HDFS of the same hosts: nearly all maps run on the host of their block.
locality() {
	local tarry=$work/tarry at=hdfs://$(address 254):27020
	go build -o "$tarry" ./cmd/tarry
	"$tarry" gen text --size 24MiB --seed 1 -o "$at/words.txt"
	"$tarry" run wordcount "$at/words.txt" -o "$at/counts" --reduces 2 --block-size 1MiB --counters --on "$TARRY_TEST_SPARK_HOSTS" 2>&1 | tee "$work/counters"
	cmp <("$tarry" run sort "$at/counts" -q) <("$tarry" run wordcount "$at/words.txt" -q | "$tarry" run sort - -q) || return 1
	[ "$(sed -n 's/.*Data-local map tasks=//p' "$work/counters")" -ge 22 ] && echo "--- PASS: maps on the hosts of their blocks"
}
if [[ " $only " == *" hdfs "* ]] && wanted spark && [ -n "${TARRY_TEST_HOSTS:-}" ]; then locality || fail=1; fi
export TARRY_TEST_THOUSAND=${TARRY_TEST_THOUSAND:-some} # all: on Spark, Slurm and YARN, too
if wanted beam; then # vetted here, too: make lint leaves it out, for it compiles for a minute
	internal/tools/tidy-check.sh contrib/beam || fail=1
	(cd contrib/beam && go vet ./... && go test -count=1 -timeout 30m -v .) | grep --line-buffered -E "$said" || fail=1
	[ "$only" = beam ] && exit "${fail:-0}"
fi
[ "$only" = kerberos ] && { [ -n "${TARRY_TEST_HDFS:-}" ] || echo "not tested: ${missing[*]}"; exit "${fail:-0}"; }
[ "$only" = s3 ] && { [ ${#s3[@]} = 2 ] || echo "not tested: ${missing[*]}"; exit "${fail:-0}"; }
[ "$rows" = none ] || go test -p 1 -count=1 -timeout 90m -run "$rows" -v ./actors/worker ./examples | grep --line-buffered -E "$said" || fail=1
if [ "$only" = all ]; then
	for other in kerberos 'hdfs spark'; do "$here/internal/tools/engines/test.sh" "$other" none || fail=1; done
fi
for m in "${missing[@]}" ${alone:+"$alone"}; do echo "not tested: $m"; done
exit "${fail:-0}"
