package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// reloader puts the configuration files of a scheduler in force again when they change.
type reloader struct {
	program *program
	flags   *clusterFlags
	put     func(scheduling.Policy, *allocation.Rules) error // in force
	failed  func(error) error                                // tells of files that were not

	files map[string][]byte // as read last
	state *allocation.Reloader[[]string]
}

// newReloader reads the files as they are now, which have been put in force; nil if there are
// none, or if one is no regular file, which cannot be read twice.
func (p *program) newReloader(c *clusterFlags, put func(scheduling.Policy, *allocation.Rules) error, failed func(error) error) *reloader {
	names := c.files.names
	regular := func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && info.Mode().IsRegular()
	}
	if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return !regular(name) }) {
		return nil
	}
	r := &reloader{program: p, flags: c, failed: failed}
	r.put = func(scheduling.Policy, *allocation.Rules) error { return nil } // they are in force already
	_, content, err := r.read()
	if err == nil {
		r.state, _, err = allocation.NewReloader(time.Now(), content, r.load)
	}
	if err != nil { // changed since the command began: the first look will tell
		r.state = allocation.NewStaleReloader(time.Now(), r.load)
	}
	r.put = put
	return r
}

// run looks at the files until ctx ends: every ten seconds, to a second, and at once when now gives something.
func (r *reloader) run(ctx context.Context, now <-chan os.Signal) {
	tick := time.NewTicker(allocation.LookEvery / 10)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if at := time.Now(); r.state.Due(at) {
				modified, content, err := r.read()
				if err != nil {
					r.tell(r.state.Fail(at, err), false)
				} else {
					r.tell(r.state.Offer(at, modified, content), false)
				}
			}
		case <-now:
			_, content, err := r.read()
			if err != nil {
				look := r.state.Fail(time.Now(), err)
				look.Report = true
				r.tell(look, true)
			} else {
				r.tell(r.state.Force(time.Now(), content), true)
			}
		}
	}
}

// read reads all files. modified is when the last of them was; now if that changed meanwhile.
func (r *reloader) read() (modified time.Time, content []byte, err error) {
	r.files = map[string][]byte{}
	var all schedulerFiles
	names := func() []string { return all.names }
	_ = all.read(func(name string) (io.ReadCloser, error) { // faults of what is in the files come later
		file, err := openFile(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		text, err := io.ReadAll(io.LimitReader(file, maxConfigBytes))
		if err != nil {
			return nil, err
		}
		r.files[name] = text
		return io.NopCloser(bytes.NewReader(text)), nil
	}, r.flags.allocations, r.flags.queues, r.flags.parameters)
	for _, name := range names() {
		info, err := os.Stat(name)
		if err != nil {
			return modified, nil, plainPathError(name, err)
		}
		if int64(len(r.files[name])) != info.Size() && info.Size() < maxConfigBytes {
			return time.Now(), nil, nil
		}
		if info.ModTime().After(modified) {
			modified = info.ModTime()
		}
		content = fmt.Appendf(content, "%q %d\n", name, len(r.files[name]))
		content = append(content, r.files[name]...)
	}
	return modified, content, nil
}

// load puts in force what was read last, all of it or nothing, and returns the warnings.
func (r *reloader) load([]byte) ([]string, error) {
	again := *r.flags
	again.files = schedulerFiles{}
	err := again.files.read(func(name string) (io.ReadCloser, error) {
		text, ok := r.files[name]
		if !ok {
			return nil, fmt.Errorf("%s: cannot be read", name)
		}
		return io.NopCloser(bytes.NewReader(text)), nil
	}, r.flags.allocations, r.flags.queues, r.flags.parameters)
	if err != nil {
		return nil, err
	}
	policy, err := again.livePolicy()
	if err == nil {
		err = r.put(policy, again.files.rules())
	}
	if err != nil {
		return nil, err
	}
	var warnings []string
	for _, w := range again.files.warnings {
		warnings = append(warnings, w.Error())
	}
	return warnings, nil
}

// tell says what a look led to. asked says that somebody waits for an answer.
func (r *reloader) tell(look allocation.Look[[]string], asked bool) {
	say := func(format string, args ...any) {
		if !r.flags.quiet {
			fmt.Fprintf(r.program.stderr, "tarry: "+format+"\n", args...)
		}
	}
	switch {
	case look.Loaded:
		for _, w := range look.Value {
			say("warning: %s", w)
		}
		say("configuration files are reloaded")
	case look.Report:
		fmt.Fprintf(r.program.stderr, "tarry: configuration files are not reloaded, the old ones stay in force: %s\n", oneLine(look.Err))
		if err := r.failed(look.Err); err != nil && !errors.Is(err, context.Canceled) {
			say("%s", oneLine(err))
		}
	case asked:
		say("configuration files have not changed")
	}
}

// maxConfigBytes is beyond what the readers of configuration files take, so that they say so.
const maxConfigBytes = 5 << 20
