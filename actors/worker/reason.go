package worker

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// pattern compiles a regular expression at its first use, since most programs never use another
// engine.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	// javaError matches a Java exception, as Java programs and Python print it.
	javaError = pattern(`^(?:Exception in thread "[^"]*" |(Caused by): |Error: |: )?(?:[a-z]\w*\.)+[\w.$]*(?:Exception|Error)(?:: (.*))?$`)
	// logError matches an error in a log or from a command.
	logError = pattern(`\b(?:ERROR|FATAL|error:|fatal:)[ :]+(?:[\w.$]+: )?(.+)`)
	// failedLine matches what a worker says on standard error when its attempt has failed.
	failedLine = pattern(`\btarry: ([mr]-\d+-\d+ on \S+: .+)`)
	// workerExit matches what our Python file prints on Spark about a worker without a message.
	workerExit = pattern(`\btarry worker exit -?\d+`)
	// jobAborted matches what Spark's driver prints when a task has failed too often.
	jobAborted = pattern(`\bJob aborted due to .+`)
	// applicationFailed matches what Hadoop's client prints when YARN has ended a job.
	applicationFailed = pattern(`\bfailed with state \w+ due to: (Application .+)`)
	// unreachable matches what clients print while they wait for an unreachable server.
	unreachable = pattern(`\b(?:Retrying connect to server|Failed to connect to master|Unable to contact slurm controller)\b.*`)
	// traceLine matches a line of a stack trace.
	traceLine = pattern(`^(?:at |\.\.\. \d+ more|File "|Traceback |\^)`)
	// noReason matches messages that do not explain a failure.
	noReason = pattern(`^(?:Error initializing SparkContext|Exception thrown in awaitResult|Streaming Command Failed|` +
		`An error has occurred|$)`)
)

// reasons extracts, from the output of an engine's client, why it has failed.
type reasons struct {
	workerMessage string // what the worker of the first failed attempt said
	exitLine      string // the text that workerExit matches
	abortText     string // the text that jobAborted matches
	firstCause    string // the innermost cause of the first exception
	causesFollow  bool   // the next lines may name causes of firstCause
	endText       string // the text that applicationFailed matches
	logError      string // the last error in a log
	lastLine      string // the last line that is not part of a stack trace
	waitText      string // the last text that unreachable matches
}

// addLine reads a line of the output. The first match of a kind counts, since later failures are
// often its consequences; of a Java exception, the last "Caused by" that says something; of errors
// in a log, the last.
func (r *reasons) addLine(line string) {
	line = strings.TrimSpace(line)
	if line == "" || traceLine().MatchString(line) {
		return
	}
	r.lastLine = line
	if m := failedLine().FindStringSubmatch(line); m != nil {
		r.workerMessage = cmp.Or(r.workerMessage, m[1])
	}
	r.exitLine = cmp.Or(r.exitLine, workerExit().FindString(line))
	if text := jobAborted().FindString(line); text != "" && r.abortText == "" {
		r.abortText = text
	}
	if m := applicationFailed().FindStringSubmatch(line); m != nil {
		r.endText = m[1]
	}
	if text := unreachable().FindString(line); text != "" {
		r.waitText = text
	}
	m := javaError().FindStringSubmatch(line)
	if m == nil {
		r.causesFollow = false
		if l := logError().FindStringSubmatch(line); l != nil && !noReason().MatchString(l[1]) {
			r.logError = l[1]
		}
		return
	}
	inner := m[1] != ""
	if !inner {
		r.causesFollow = r.firstCause == ""
	}
	if text := strings.TrimSpace(m[2]); (r.firstCause == "" || r.causesFollow && inner) && !noReason().MatchString(text) {
		r.firstCause, r.causesFollow = text, true
	}
}

// reason returns the line that explains the failure best, or "": a known message of Spark's, the
// first exception, why YARN has ended the job, the last error in a log, or the last line. The
// worker's own message is in r.workerMessage.
func (r *reasons) reason() string {
	return cmp.Or(r.exitLine, r.abortText, r.firstCause, r.endText, r.logError, r.lastLine)
}
