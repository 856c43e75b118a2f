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
	// ended matches what our Python file prints on Spark about a worker that says nothing.
	ended = pattern(`\btarry worker exit -?\d+`)
	// aborted matches what Spark's driver prints when a task has failed too often.
	aborted = pattern(`\bJob aborted due to .+`)
	// trying matches what clients print while they wait for an unreachable server.
	trying = pattern(`\b(?:Retrying connect to server|Failed to connect to master|Unable to contact slurm controller)\b.*`)
	// traceLine matches a line of a stack trace.
	traceLine = pattern(`^(?:at |\.\.\. \d+ more|File "|Traceback |\^)`)
	// empty matches messages that do not tell the reason.
	empty = pattern(`^(?:Error initializing SparkContext|Exception thrown in awaitResult|Streaming Command Failed|` +
		`An error has occurred|$)`)
)

// reasons extracts, from the output of an engine's client, why it has failed.
type reasons struct {
	worker  string // of the first attempt that failed
	ended   string // the line that ended matches
	aborted string // the text that aborted matches
	first   string // the innermost cause of the first exception
	open    bool   // causes of first may follow
	log     string // the last error in a log
	last    string // the last line that is not part of a stack trace
	trying  string // what the client waits for
}

// hear adds a line of the output.
func (r *reasons) hear(line string) {
	line = strings.TrimSpace(line)
	if line == "" || traceLine().MatchString(line) {
		return
	}
	r.last = line
	if m := failedLine().FindStringSubmatch(line); m != nil {
		r.worker = cmp.Or(r.worker, m[1])
	}
	r.ended = cmp.Or(r.ended, ended().FindString(line))
	if text := aborted().FindString(line); text != "" && r.aborted == "" {
		r.aborted = text
	}
	if text := trying().FindString(line); text != "" {
		r.trying = text
	}
	m := javaError().FindStringSubmatch(line)
	if m == nil {
		r.open = false
		if l := logError().FindStringSubmatch(line); l != nil && !empty().MatchString(l[1]) {
			r.log = l[1]
		}
		return
	}
	inner := m[1] != ""
	if !inner {
		r.open = r.first == ""
	}
	if text := strings.TrimSpace(m[2]); (r.first == "" || r.open && inner) && !empty().MatchString(text) {
		r.first, r.open = text, true
	}
}

// reason returns the line that explains the failure best, or "": a known message of Spark's, the
// first exception, the last error in a log, or the last line. The worker's own message is in
// r.worker.
func (r *reasons) reason() string { return cmp.Or(r.ended, r.aborted, r.first, r.log, r.last) }
