package worker

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// crashSuffix ends the name of the file, beside the failures, in which the Go runtime records why
// it ended a process: a panic in a goroutine of the user, a stack overflow, concurrent map writes.
// In these cases none of our code runs.
const crashSuffix = ".crash"

// noteCrash makes the Go runtime write a crash of this process to a file that the submitter finds;
// end removes it. With a store there is no such file, and only the engine's copy of standard error
// tells.
func noteCrash(temp folder, id mapreduce.AttemptID) (end func()) {
	if temp.store != nil {
		return func() {}
	}
	in := temp.below(failures)
	name := in.place(id.String() + crashSuffix)
	if in.write(id.String()+crashSuffix, nil) != nil {
		return func() {} // tasks fail later if the disk fails
	}
	if f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0); err == nil {
		_ = debug.SetCrashOutput(f, debug.CrashOptions{}) // keeps a duplicate of f
		_ = f.Close()                                     // nothing was written
	}
	return func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		_ = os.Remove(name)
	}
}

// unended adds to an engine's error that a task without a failure file has begun and not ended.
func (j *job) unended(err error) error {
	files, listErr := j.temp.below(failures).list()
	if listErr != nil {
		return err
	}
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), crashSuffix); ok {
			return fmt.Errorf("%w; %s has begun and not ended: it was killed, or the user's code ends the process (as by os.Exit)", err, id)
		}
	}
	return err
}

// crashed returns why the Go runtime ended a process, from its crash output: one line with the
// place in the user's code, or "".
func crashed(text string) string {
	why := ""
	for block := range strings.SplitSeq(text, "\n\n") {
		for line := range strings.Lines(block) {
			line = strings.TrimSpace(line)
			if why == "" && (strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")) {
				why = line
			}
		}
		if i := strings.Index(block, "goroutine "); why != "" && i >= 0 {
			if at := cluster.StackPlace(block[i:]); at != "" {
				return why + " (" + at + ")"
			}
		}
	}
	return why
}
