package worker

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// pattern is compiled at its first use: most programs never talk to another engine.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	// javaError is an exception of Java, as its own programs and Python show it.
	javaError = pattern(`^(?:Exception in thread "[^"]*" |(Caused by): |: )?(?:[a-z]\w*\.)+[\w.$]*(?:Exception|Error)(?:: (.*))?$`)
	// logError is an error in a log, or of a command.
	logError = pattern(`\b(?:ERROR|FATAL|error:|fatal:)[ :]+(?:[\w.$]+: )?(.+)`)
	// ended is what our own file says on Spark of a worker.
	ended = pattern(`\btarry worker exit \d+`)
	// aborted is what Spark's driver says when a task has failed too often.
	aborted = pattern(`\bJob aborted due to .+`)
	// trying is what clients say who wait for a server that is not there.
	trying = pattern(`\b(?:Retrying connect to server|Failed to connect to master|Unable to contact slurm controller)\b.*`)
	// traceLine is a line of a stack.
	traceLine = pattern(`^(?:at |\.\.\. \d+ more|File "|Traceback |\^)`)
	// empty are words beside a reason that say nothing themselves.
	empty = pattern(`^(?:Error initializing SparkContext|Exception thrown in awaitResult|Streaming Command Failed|` +
		`An error has occurred|$)`)
)

// reasons finds, in what the client of an engine says, why it has failed.
type reasons struct {
	ended   string
	aborted string
	first   string // the innermost cause of the first exception
	open    bool   // its causes may follow
	log     string // the last error in a log
	last    string // the last line that is none of a stack
	trying  string // what the client waits for
}

// hear takes a line.
func (r *reasons) hear(line string) {
	line = strings.TrimSpace(line)
	if line == "" || traceLine().MatchString(line) {
		return
	}
	r.last = line
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

// reason is the one line that says most.
func (r *reasons) reason() string { return cmp.Or(r.ended, r.aborted, r.first, r.log, r.last) }
