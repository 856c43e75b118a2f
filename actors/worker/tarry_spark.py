"""Runs a job of Tarry on Spark: spark-submit --files PROGRAM,SETUP tarry_spark.py SETUP. Spark starts workers
and moves frames; Tarry maps, sorts, merges, reduces, and leaves notes of the tasks in a folder of its own.
SETUP is JSON: the program, its task as TARRY_TASK has it for maps and for reduces, how many of them there
are, the hosts of each map's input if they are known, and the files of tickets by variable."""
import json
import os
import pickle
import struct
import subprocess
import sys
import tempfile

from pyspark import RDD, SparkContext, SparkFiles, TaskContext
from pyspark.serializers import PickleSerializer


def start(task, index, **streams):
    """Starts a worker; what it says on standard error is kept for the error of its task."""
    exe = os.path.abspath(SparkFiles.get(setup["program"]))
    os.chmod(exe, 0o755)
    attempt = TaskContext.get().taskAttemptId()  # no two tasks of an application share one
    env = dict(os.environ, TARRY_TASK=task, TARRY_INDEX=str(index), TARRY_ATTEMPT=str(attempt))
    for variable, file in setup.get("tickets", {}).items():
        env[variable] = "FILE:" + os.path.abspath(SparkFiles.get(file))
    disks = os.environ.get("SPARK_LOCAL_DIRS") or tempfile.gettempdir()  # as spark.local.dir says
    disk = disks.split(",")[attempt % len(disks.split(","))]
    said = tempfile.TemporaryFile(dir=disk)
    return subprocess.Popen([exe], env=env, stderr=said, cwd=disk, **streams), said


def finish(worker, said):
    """Waits for a worker; one that failed fails the task, with the end of what it said."""
    code = worker.wait()
    said.seek(0)
    text = said.read().decode("utf-8", "replace")
    sys.stderr.write(text)  # to the logs of the executor
    if code != 0:
        raise RuntimeError("tarry worker exit %d: %s" % (code, text[-4000:]))


def frames(f):
    """Yields the frames that a map writes, each as its reduce and its bytes."""
    while True:
        head = f.read(24)
        if not head:
            return
        size, partition = struct.unpack(">II", head[:8])
        if len(head) < 24 or size != 16:
            raise RuntimeError("tarry worker: a damaged frame")
        data = f.read(struct.unpack(">I", head[20:])[0])
        yield partition, head + data


def do_map(indexes):
    for i in indexes:
        worker, said = start(setup["map"], i, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        yield from frames(worker.stdout)
        finish(worker, said)


def do_reduce(index, pairs):
    worker, said = start(setup["reduce"], index, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        for _, frame in pairs:
            worker.stdin.write(frame)
        worker.stdin.close()
    except BrokenPipeError:
        pass  # it has failed, and says why
    finish(worker, said)
    return iter(())


def placed(hosts):
    """Returns the numbers of the maps, each in a partition that Spark prefers to run on the map's hosts.
    PySpark has no such function; that of Scala takes pairs of an element and its hosts."""
    jvm = context._jvm

    def sequence(items):
        array = jvm.java.util.ArrayList()
        for item in items:
            array.add(item)
        return jvm.PythonUtils.toSeq(array)

    pairs = sequence(jvm.scala.Tuple2(pickle.dumps(i), sequence(names)) for i, names in enumerate(hosts))
    placed = context._jsc.sc().makeRDD(pairs, context._jsc.emptyRDD().classTag())
    return RDD(placed.toJavaRDD(), context, PickleSerializer())


context = SparkContext()
name = os.path.basename(sys.argv[1])
places = [sys.argv[1], name, SparkFiles.get(name)]  # the driver's host may be another one
with open(next(place for place in places if os.path.exists(place))) as f:
    setup = json.load(f)
maps = placed(setup["hosts"]) if "hosts" in setup else context.parallelize(range(setup["maps"]), setup["maps"])
if setup["reduces"] == 0:
    maps.mapPartitions(do_map).count()
else:
    moved = maps.mapPartitions(do_map).partitionBy(setup["reduces"], lambda partition: partition)
    moved.mapPartitionsWithIndex(do_reduce).count()
context.stop()
