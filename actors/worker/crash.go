package worker

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// crashSuffix is what the file ends with, beside the failures, to which Go writes why it ends a process: a
// panic in a goroutine of the user's, a full stack, a map written to by two. No code of ours runs then.
const crashSuffix = ".crash"

// noteCrash has a crash of this process written where the submitter finds it; end removes the file. In a
// store there is none: then what engines keep of standard error tells.
func noteCrash(temp folder, id mapreduce.AttemptID) (end func()) {
	if temp.store != nil {
		return func() {}
	}
	in := temp.below(failures)
	name := in.place(id.String() + crashSuffix)
	if in.write(id.String()+crashSuffix, nil) != nil {
		return func() {} // there is a disk to fail on yet
	}
	if f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0); err == nil {
		_ = debug.SetCrashOutput(f, debug.CrashOptions{}) // a duplicate
		_ = f.Close()                                     // nothing was written
	}
	return func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		_ = os.Remove(name)
	}
}

// unended adds to the error of an engine that one of the tasks, which left no failure, has begun and not ended.
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

// crashed is why Go has ended a process, from what it wrote: one line with the place in the user's code.
// Empty if it says nothing.
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
