package scenario

import (
	"math"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
)

// timed describes a statement with a time, such as submit or heartbeat, and implements it (do).
type timed struct {
	usage       string // of the arguments
	least, most int    // number of arguments
	asks        bool   // it has an answer
	do          func(w *world, s statement) answer
}

// many means an unlimited number of arguments.
const many = math.MaxInt

// change returns a statement that changes something and has no answer.
func change(usage string, least, most int, do func(w *world, s statement)) timed {
	return timed{usage, least, most, false, func(w *world, s statement) answer {
		do(w, s)
		return answer{}
	}}
}

// question returns a statement with an answer.
func question(usage string, least, most int, do func(w *world, s statement) answer) timed {
	return timed{usage, least, most, true, do}
}

// timedStatements are the statements with a time, by verb.
var timedStatements = map[string]timed{
	"node":      change("NAME [OPTION=VALUE]", 1, many, func(w *world, s statement) { w.join(s.at, w.parseNode(s.args)) }),
	"submit":    change("JOB [OPTION=VALUE]", 1, many, (*world).submit),
	"kill":      change("JOB", 1, 1, func(w *world, s statement) { check(w.core.Kill(s.at, w.job(s.args[0]))) }),
	"set":       change("JOB priority=P or pool=P", 2, 2, (*world).set),
	"done":      change("TASK [TASK]", 1, many, report(scheduling.StateSucceeded)),
	"fail":      change("TASK [TASK]", 1, many, report(scheduling.StateFailed)),
	"output":    change("MAP BYTES [BYTES]", 2, many, (*world).output),
	"progress":  change("TASK=PART [TASK=PART]", 1, many, (*world).progress),
	"unfetched": change("REDUCE MAP [MAP]", 2, many, (*world).unfetched),

	"heartbeat":  question("NODE", 1, 1, (*world).heartbeat),
	"idle":       question("NODE", 1, 1, (*world).idle),
	"shares":     question("", 0, 0, (*world).perJob),
	"demand":     question("", 0, 0, (*world).perJob),
	"running":    question("", 0, 0, (*world).perJob),
	"weights":    question("", 0, 0, (*world).perJob),
	"runnable":   question("", 0, 0, (*world).runnable),
	"order":      question("[map or reduce]", 0, 1, (*world).order),
	"need":       question("", 0, 0, (*world).need),
	"preempt":    question("", 0, 0, (*world).preempt),
	"commit":     question("TASK", 1, 1, (*world).commit),
	"locality":   question("JOB", 1, 1, (*world).locality),
	"capacities": question("", 0, 0, (*world).capacities),
	"virtual":    question("JOB [map or reduce]", 1, 2, (*world).virtual),
	"gravity":    question("REDUCE", 1, 1, (*world).gravity),
	"wtnd":       question("REDUCE NODE", 2, 2, distance(scheduling.View.WTND)),
	"tnd":        question("REDUCE NODE", 2, 2, distance(scheduling.View.TND)),
}

// play performs a statement that begins with a time. If it is a question (asks), a is the answer.
func (w *world) play(s statement) (a answer, asks bool) {
	t, known := timedStatements[s.verb]
	switch {
	case !known:
		refuse("unknown statement %q", s.verb)
	case len(s.args) < t.least || len(s.args) > t.most:
		refuse("want: %s", strings.TrimSpace(s.verb+" "+t.usage))
	case s.asks && !t.asks:
		refuse("%s has no answer", s.verb)
	}
	return t.do(w, s), t.asks
}
