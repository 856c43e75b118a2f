#!/usr/bin/env bash
# Installs real engines into a cache folder, by the ordinary clients (Maven, pip, apt), starts them,
# runs the table of actors/worker/engines_test.go on each, those of stores on HDFS and S3, and stops what it has started.
# Engines run on three hosts (hosts.sh), or on this machine alone if it lacks namespaces. An engine that cannot be
# installed is named as not tested.
#   internal/tools/engines/test.sh             all: some forty minutes on two cores, after the first time
#   internal/tools/engines/test.sh yarn        one of them: light, yarn (and HDFS), spark, slurm, s3, beam
#   internal/tools/engines/test.sh yarn 'TestOnEngines/.*/kill'    what go test -run takes
#   internal/tools/engines/test.sh light       Hadoop Streaming in one process: a minute; with TARRY_TEST_THOUSAND=all five
#   internal/tools/engines/test.sh 's3 slurm spark' none    several of them, here S3 with Slurm and with Spark and nothing else
#   internal/tools/engines/test.sh 'hdfs spark' none    Spark on hosts that store the blocks of an HDFS, too
#   internal/tools/engines/test.sh 'kerberos yarn' none    YARN and HDFS with Kerberos
#   internal/tools/engines/test.sh yarn -- COMMAND…    starts an engine, has one command find it, and stops it
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/../../.."
here=$PWD
cache=${TARRY_ENGINES:-$HOME/.cache/tarry-engines}
only=${1:-all}
rows=${2:-OnEngines|TestSparkProgram}
command=()
tasks=65534 # the user of tasks: another one in tests, but who types a command has an output of their own
[ "$rows" = -- ] && command=("${@:3}") tasks=$(id -u)
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
disk() { echo "${TARRY_TEST_HOSTS:-$work/disk$1}/tmp"; } # of host N
. internal/tools/engines/hadoop.sh
. internal/tools/engines/kerberos.sh

if wanted light; then
	if hadoop; then
		conf=$work/light
		mkdir "$conf" && log4j "$conf"
		export TARRY_TEST_LIGHT=yarn TARRY_TEST_LIGHT_HADOOP
		TARRY_TEST_LIGHT_HADOOP=$(hadoopClient streaming.HadoopStreaming)
	else
		missing+=("Hadoop in one process: it needs java 17 and mvn")
	fi
fi

javaOptions=() secure=()
if wanted hdfs || wanted yarn || wanted spark || wanted slurm; then # Kerberos comes with YARN
	chmod 755 "$work"
	size=500m
	! wanted yarn || size=2g # each job of YARN leaves copies of its program for a while
	if "$hosts" start "$work/hosts" 3 "$size" && "$hosts" join "$work/hosts"; then
		export TARRY_TEST_HOSTS=$work/hosts
		javaOptions+=("-Djdk.net.hosts.file=$TARRY_TEST_HOSTS/names")
	else
		alone="hosts: they need root and namespaces of Linux"
	fi
	stops+=("$hosts stop $work/hosts")
fi

if wanted hdfs || wanted yarn; then
	if hadoop && { [[ " $only " != *" kerberos "* ]] || secured; }; then # all runs Kerberos by itself
		hadoopConf "$work/hadoop" "${secure[@]}"
		hdfsStart
		export HADOOP_CONF_DIR=$conf
		if wanted yarn; then
			yarnStart
			export TARRY_TEST_HDFS=$fs TARRY_TEST_YARN=yarn TARRY_TEST_YARN_HADOOP
			TARRY_TEST_YARN_HADOOP=$(hadoopClient streaming.HadoopStreaming)
		fi
	else
		missing+=("Hadoop: it needs java 17 and mvn, and with Kerberos Debian and root")
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
			disk=$(disk "$n")
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
			AuthInfo=cred_expire=10
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
tests() { go test -p 1 -count=1 -timeout 90m -v "$@" | awk '/Error Trace/ { n = 8 } n-- > 0 || /^ *(---|ok|FAIL|panic)|Skip|not tested/ { print; fflush() }'; }
beside= late= # tests that run beside others, and those that come after all others
if [ "$only" = yarn ] && [ -z "${2:-}" ]; then # a job of YARN does not fill a processor
	tests -run OnEnginesFaults ./actors/worker &
	beside=$! late='OnEnginesFaults|OnEnginesLostHost'
fi
stores= # are tested, unless rows are asked for
[ "${2:-none}" != none ] || stores=yes
if [ -n "${TARRY_TEST_HDFS:-}" ] && [ -n "$stores" ]; then
	tests ./contrib/hdfs || fail=1
fi
for server in "${s3[@]}"; do
	serves "$server"
	TARRY_TEST_S3=$server tests ./contrib/s3 || fail=1
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
# The jar that is part of the program is what its source gives.
if wanted yarn && [ -n "${TARRY_TEST_YARN:-}" ] && javac -version 2>&1 | grep -q 'javac 17'; then
	internal/tools/engines/jar.sh "$work/hosted.jar" "$cache/hadoop/lib/*"
	cmp "$work/hosted.jar" actors/worker/hadoop/hosted.jar && echo "--- PASS: the jar is of its source" || fail=1
fi
# A job on HDFS of the engine's own hosts: most maps run on the only host of their block. Each host has a third of them.
locality() { # NAME ENGINE LEAST
	local tarry=$work/tarry at=hdfs://$fs/$1
	go build -o "$tarry" ./cmd/tarry
	mkdir -p "$work/once" && sed 's,\(dfs.replication</name><value>\)3,\11,' "$conf/hdfs-site.xml" >"$work/once/hdfs-site.xml" && cp "$conf/core-site.xml" "$work/once"
	HADOOP_CONF_DIR=$work/once "$tarry" gen text --size 24MiB --seed 1 -o "$at/words.txt"
	TARRY_HADOOP=${TARRY_TEST_YARN_HADOOP:-} "$tarry" run wordcount "$at/words.txt" -o "$at/counts" --reduces 2 --block-size 1MiB --counters \
		--on "$2" 2>&1 | tee "$work/counters"
	cmp <("$tarry" run sort "$at/counts" -q) <("$tarry" run wordcount "$at/words.txt" -q | "$tarry" run sort - -q) || return 1
	[ "$(sed -n 's/.*Data-local map tasks=//p' "$work/counters")" -ge "$3" ] && echo "--- PASS: maps on the hosts of their blocks: $1"
}
if [ -n "${TARRY_TEST_HOSTS:-}" ] && [ -n "${fs:-}" ] && [ -n "$stores" ]; then
	if wanted spark; then locality spark "$TARRY_TEST_SPARK_HOSTS" 22 || fail=1; fi
	if wanted yarn; then locality yarn yarn 15 || fail=1; fi # YARN waits for a host, but not for long
fi
# A host that calls itself aarch64 runs the build for it, which qemu emulates.
architectures() {
	local tarry=$work/tarry
	go build -o "$tarry" ./cmd/tarry && CGO_ENABLED=0 GOARCH=arm64 go build -o "$tarry-arm64" ./cmd/tarry
	printf '#!/bin/sh\n[ "$1" = -m ] && echo aarch64 || exec "%s" "$@"\n' "$work/uname.real" >"$work/uname"
	cp "$(readlink -f "$(command -v uname)")" "$work/uname.real" && chmod 755 "$work/uname" "$work/uname.real"
	(on 3 0 mount --bind "$work/uname" "$(readlink -f "$(command -v uname)")")
	(umask 0 && mkdir "$work/arm64" && cd "$work/arm64" && "$tarry" gen text --size 4MB --seed 1 -o words.txt &&
		"$tarry" run wordcount words.txt -o counts --reduces 3 --block-size 400KB --worker "linux/arm64=$tarry-arm64" --on "$TARRY_TEST_SPARK_HOSTS" &&
		cmp <("$tarry" run sort counts -q) <("$tarry" run wordcount words.txt -q | "$tarry" run sort - -q)) &
	local job=$!
	until pgrep -f "^[^ ]*aarch64.* [^ ]*tarry-worker-linux-arm64" >/dev/null; do kill -0 $job && sleep 0.05; done
	wait $job && echo "--- PASS: a host of another architecture"
}
if wanted spark && [ -n "${TARRY_TEST_HOSTS:-}" ] && [ -n "$stores" ] && [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
	architectures || fail=1
fi
export TARRY_TEST_THOUSAND=${TARRY_TEST_THOUSAND:-some} # all: on engines of others, too
if wanted beam; then # vetted here, too: make lint leaves it out, for it compiles for a minute
	internal/tools/tidy-check.sh contrib/beam || fail=1
	(cd contrib/beam && go vet ./... && tests .) || fail=1
	[ "$only" = beam ] && exit "${fail:-0}"
fi
[ "$only" = s3 ] && { [ ${#s3[@]} = 2 ] || echo "not tested: ${missing[*]}"; exit "${fail:-0}"; }
[ "$rows" = none ] || tests -run "$rows" -skip "$late" ./actors/worker ./examples || fail=1
if [ -n "$beside" ]; then
	wait "$beside" || fail=1
	tests -run OnEnginesLostHost ./actors/worker || fail=1
fi
if [ "$only" = all ]; then
	"$here/internal/tools/engines/test.sh" 'kerberos yarn' none || fail=1
fi
for m in "${missing[@]}" ${alone:+"$alone"}; do echo "not tested: $m"; done
exit "${fail:-0}"
