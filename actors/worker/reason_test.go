package worker

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// From an engine's long output, the error takes the line with the cause. These are real outputs.
func TestReason(t *testing.T) {
	for want, said := range map[string]string{
		"Could not parse Master URL: 'local[x]'": `26/11/23 13:31:46 ERROR SparkContext: Error initializing SparkContext.
org.apache.spark.SparkException: Could not parse Master URL: 'local[x]'
	at org.apache.spark.SparkContext$.org$apache$spark$SparkContext$$createTaskScheduler(SparkContext.scala:3319)
26/11/23 13:31:46 INFO SparkContext: Unable to report driver heartbeat metrics when stopping spark context
java.lang.NullPointerException: Cannot invoke "org.apache.spark.Heartbeater.doReportHeartbeat()"
py4j.protocol.Py4JJavaError: An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.`,
		"Connection refused: /127.0.0.1:1": `org.apache.spark.SparkException: Exception thrown in awaitResult: 
	at org.apache.spark.util.SparkThreadUtils$.awaitResult(SparkThreadUtils.scala:53)
Caused by: java.io.IOException: Failed to connect to /127.0.0.1:1
	at java.base/java.lang.Thread.run(Thread.java:840)
	... 4 more
Caused by: io.netty.channel.AbstractChannel$AnnotatedConnectException: Connection refused: /127.0.0.1:1
26/11/23 13:31:46 ERROR StandaloneSchedulerBackend: Application has been killed. Reason: All masters are unresponsive!
Caused by: java.lang.IllegalStateException: Spark master is not here`,
		"When running with master 'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment.": `WARNING: Using incubator modules
Exception in thread "main" org.apache.spark.SparkException: When running with master 'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment.
	at org.apache.spark.deploy.SparkSubmitArguments.error(SparkSubmitArguments.scala:678)`,
		"Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times": `java.io.IOException: an executor is gone
org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times`,
		"tarry worker exit 7": `org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times
RuntimeError: tarry worker exit 7: `,
		"Error Launching job : Output directory file:/x already exists": `INFO JobResourceUploader: Disabling Erasure Coding
ERROR streaming.StreamJob: Error Launching job : Output directory file:/x already exists
Streaming Command Failed!`,
		"Application application_1_0012 failed 2 times due to ApplicationMaster for attempt appattempt_1_0012_000002 timed out.": `
INFO Job: Job job_1_0012 failed with state FAILED due to: Application application_1_0012 failed 2 times due to ApplicationMaster for attempt appattempt_1_0012_000002 timed out.
ERROR streaming.StreamJob: Job not successful!
Streaming Command Failed!`,
		"invalid partition specified: none": `sbatch: error: invalid partition specified: none`,
		"nothing that is known":             "one\n\ntwo\nnothing that is known\n",
		"":                                  "",
	} {
		var r reasons
		for line := range strings.Lines(said) {
			r.addLine(line)
		}
		require.Equal(t, want, r.reason(), said)
	}
	var r reasons
	r.addLine("INFO Client: Retrying connect to server: vm/127.0.0.1:8032. Already tried 0 time(s)")
	require.Equal(t, "Retrying connect to server: vm/127.0.0.1:8032. Already tried 0 time(s)", r.said[waitText])
}

// crashed shortens Go's report of a panic or fatal error to a line with the place in user code.
func TestCrashed(t *testing.T) {
	const stack = "goroutine 9 [running]:\nacme.com/words.main.func1()\n\t/src/words/main.go:40 +0x25\n" +
		"created by acme.com/words.main\n\t/src/words/main.go:39 +0xa7\n"
	for text, want := range map[string]string{
		"panic: away\n\n" + stack: "panic: away (words/main.go:40)",
		"panic: runtime error: nil\n[signal SIGSEGV: code=0x1]\n\n" + stack:                                          "panic: runtime error: nil (words/main.go:40)",
		"runtime: stack exceeds\nfatal error: stack overflow\n\nruntime stack:\nruntime.throw({})\n\t/x\n\n" + stack: "fatal error: stack overflow (words/main.go:40)",
		"fatal error: all goroutines are asleep - deadlock!\n":                                                       "fatal error: all goroutines are asleep - deadlock!",
		"": "",
	} {
		require.Equal(t, want, crashed(text))
	}
}
