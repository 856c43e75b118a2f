package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// reloader puts the configuration files of a scheduler in force again when they change. A nil one
// looks after none.
type reloader struct {
	program *program
	flags   *clusterFlags
	put     func(scheduling.Policy, *allocation.Rules) error // in force
	failed  func(error) error                                // tells of files that were not

	files map[string][]byte // as read last
	state *allocation.Reloader[[]string]
	asked chan chan<- allocation.Look[[]string] // to reload at once

	mu   sync.Mutex
	last api.Reload // what came of the last change
}

// watchers run, each with the signals that ask for a reload, until they are stopped.
func watchers(ctx context.Context, list ...func(context.Context, <-chan os.Signal)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	var deaf []func()
	for _, watch := range list {
		signals, ignore := hangups()
		deaf = append(deaf, ignore)
		done.Go(func() { watch(ctx, signals) })
	}
	return func() {
		cancel()
		done.Wait()
		for _, ignore := range deaf {
			ignore()
		}
	}
}

// newReloader reads the files as they are now, which have been put in force; nil if there are
// none, or if one is no regular file, which cannot be read twice.
func (p *program) newReloader(c *clusterFlags) *reloader {
	notRegular := func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.Mode().IsRegular()
	}
	if len(c.files.names) == 0 || slices.ContainsFunc(c.files.names, notRegular) {
		return nil
	}
	r := &reloader{program: p, flags: c, asked: make(chan chan<- allocation.Look[[]string])}
	r.put = func(scheduling.Policy, *allocation.Rules) error { return nil } // they are in force already
	_, content, err := r.read()
	if err == nil {
		r.state, _, err = allocation.NewReloader(time.Now(), content, r.load)
	}
	if err != nil { // changed since the command began: the first look will tell
		r.state = allocation.NewStaleReloader(time.Now(), r.load)
	}
	return r
}

// of gives the reloader the cluster that the files are for.
func (r *reloader) of(c *actors.Cluster) *reloader {
	if r != nil {
		r.put, r.failed = c.Reload, c.ReloadFailed
	}
	return r
}

// ask has the files read at once.
func (r *reloader) ask(ctx context.Context) (api.Reload, error) {
	answer := make(chan allocation.Look[[]string], 1)
	select {
	case r.asked <- answer:
	case <-ctx.Done():
		return api.Reload{}, context.Cause(ctx)
	}
	look := <-answer
	return r.outcome(), look.Err
}

// outcome is what came of the last change.
func (r *reloader) outcome() api.Reload {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// run looks at the files until ctx ends: every ten seconds, to a second, and at once when now gives
// something.
func (r *reloader) run(ctx context.Context, now <-chan os.Signal) {
	if r == nil {
		return
	}
	tick := time.NewTicker(allocation.LookEvery / 10)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			at := time.Now()
			if !r.state.Due(at) {
				continue
			}
			modified, content, err := r.read()
			if err != nil {
				r.tell(r.state.Fail(at, err), false)
			} else {
				r.tell(r.state.Offer(at, modified, content), false)
			}
		case <-now:
			r.tell(r.force(), true)
		case answer := <-r.asked:
			look := r.force()
			r.tell(look, true)
			answer <- look
		}
	}
}

// force reads the files at once.
func (r *reloader) force() allocation.Look[[]string] {
	_, content, err := r.read()
	if err != nil {
		look := r.state.Fail(time.Now(), err)
		look.Report = true
		return look
	}
	return r.state.Force(time.Now(), content)
}

// read reads all files. modified is when the last of them was; now if that changed meanwhile.
func (r *reloader) read() (modified time.Time, content []byte, err error) {
	r.files = map[string][]byte{}
	again := r.flags.schedulerFlags
	again.files = schedulerFiles{}
	_ = again.read(func(name string) (io.ReadCloser, error) { // faults of what is in the files come later
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
	})
	for _, name := range again.files.names {
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
	err := again.read(func(name string) (io.ReadCloser, error) {
		text, ok := r.files[name]
		if !ok {
			return nil, fmt.Errorf("%s: cannot be read", name)
		}
		return io.NopCloser(bytes.NewReader(text)), nil
	})
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
	if look.Loaded || look.Report {
		r.mu.Lock()
		if r.last = (api.Reload{Time: new(time.Now().Round(0))}); look.Err != nil {
			r.last.Error = words.OneLine(look.Err)
		}
		r.mu.Unlock()
	}
	switch {
	case look.Loaded:
		for _, w := range look.Value {
			say("warning: %s", w)
		}
		say("configuration files are reloaded")
	case look.Report:
		fmt.Fprintln(r.program.stderr, "tarry: configuration files are not reloaded, the old ones stay in force:",
			words.OneLine(look.Err))
		if err := r.failed(look.Err); err != nil && !errors.Is(err, context.Canceled) {
			say("%s", words.OneLine(err))
		}
	case asked:
		say("configuration files have not changed")
	}
}

// maxConfigBytes is beyond what the readers of configuration files take, so that they say so.
const maxConfigBytes = 5 << 20
