"""Runs a job of Tarry on Spark: spark-submit tarry_spark.py SETUP. Spark starts workers and moves frames;
Tarry maps, sorts, merges and reduces. SETUP is JSON: the program, its task as TARRY_TASK has it for
maps and for reduces, how many maps and reduces there are, and where the reports of the tasks go."""
import json
import os
import struct
import subprocess
import sys
import tempfile

from pyspark import SparkConf, SparkContext, SparkFiles, TaskContext

with open(sys.argv[1]) as f:
    setup = json.load(f)
name = os.path.basename(setup["program"])


def start(task, index, **streams):
    """Starts a worker; what it says on standard error is kept for the error of its task."""
    exe = SparkFiles.get(name)
    os.chmod(exe, 0o755)
    attempt = str(TaskContext.get().taskAttemptId())  # no two tasks of an application share one
    env = dict(os.environ, TARRY_TASK=task, TARRY_INDEX=str(index), TARRY_ATTEMPT=attempt)
    said = tempfile.TemporaryFile()
    return subprocess.Popen([exe], env=env, stderr=said, cwd=tempfile.gettempdir(), **streams), said


def finish(worker, said):
    """Waits for a worker; one that failed fails the task, with the end of what it said."""
    code = worker.wait()
    if code != 0:
        said.seek(0)
        raise RuntimeError("tarry worker exit %d: %s" % (code, said.read()[-4000:].decode("utf-8", "replace")))


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


def do_map_only(indexes):
    for i in indexes:
        worker, said = start(setup["map"], i, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        report = worker.stdout.read().decode()
        finish(worker, said)
        yield report


def do_reduce(index, pairs):
    worker, said = start(setup["reduce"], index, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        for _, frame in pairs:
            worker.stdin.write(frame)
        worker.stdin.close()
    except BrokenPipeError:
        pass  # it has failed, and says why
    report = worker.stdout.read().decode()
    finish(worker, said)
    yield report


context = SparkContext(conf=SparkConf().setAppName("tarry " + setup["name"]))
context.setLogLevel("WARN")
context.addFile(setup["program"])
maps = context.parallelize(range(setup["maps"]), setup["maps"])
if setup["reduces"] == 0:
    reports = maps.mapPartitions(do_map_only).collect()
else:
    moved = maps.mapPartitions(do_map).partitionBy(setup["reduces"], lambda partition: partition)
    reports = moved.mapPartitionsWithIndex(do_reduce).collect()
context.stop()
with open(setup["reports"], "w") as f:
    f.write("".join(reports))
