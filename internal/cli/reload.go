package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// reloader puts files in force again when they change: all that load reads, or nothing. A nil one looks
// after none.
type reloader struct {
	program *program
	quiet   bool
	what    string   // is reloaded, for messages
	names   []string // of the files
	load    func() (names, warnings []string, err error)
	failed  func(error) error // tells of files that were not put in force

	state *allocation.Reloader[[]string]
	asked chan chan<- allocation.Look[[]string] // to reload at once

	mu   sync.Mutex
	last api.Reload // what came of the last change
}

// start notes what the files hold now, which is in force; nil if there are none, or if one is no
// regular file, which cannot be read twice.
func (r *reloader) start() *reloader {
	notRegular := func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.Mode().IsRegular()
	}
	if len(r.names) == 0 || slices.ContainsFunc(r.names, notRegular) {
		return nil
	}
	r.asked = make(chan chan<- allocation.Look[[]string])
	inForce := true
	load := func([]byte) (warnings []string, err error) {
		if inForce {
			inForce = false
			return nil, nil
		}
		names, warnings, err := r.load()
		if err == nil {
			r.names = names
		}
		return warnings, err
	}
	_, content, err := r.read()
	if err == nil {
		r.state, _, err = allocation.NewReloader(time.Now(), content, load)
	}
	if err != nil { // changed since the command began: the first look will tell
		inForce = false
		r.state = allocation.NewStaleReloader(time.Now(), load)
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

// read gives what the files hold, and when the last of them was changed.
func (r *reloader) read() (modified time.Time, content []byte, err error) {
	for _, name := range r.names {
		info, err := os.Stat(name)
		if err == nil && info.ModTime().After(modified) {
			modified = info.ModTime()
		}
		text, bad := os.ReadFile(name)
		if err = firstError(err, bad); err != nil {
			return modified, nil, plainPathError(name, err)
		}
		content = append(fmt.Appendf(content, "%q %v %d\n", name, info.Mode(), len(text)), text...)
	}
	return modified, content, nil
}

// tell says what a look led to. asked says that somebody waits for an answer.
func (r *reloader) tell(look allocation.Look[[]string], asked bool) {
	say := func(format string, args ...any) {
		if !r.quiet {
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
		say("%s are reloaded", r.what)
	case look.Report:
		fmt.Fprintf(r.program.stderr, "tarry: %s are not reloaded, the old ones stay in force: %s\n", r.what, words.OneLine(look.Err))
		if err := r.failed(look.Err); err != nil && !errors.Is(err, context.Canceled) {
			say("%s", words.OneLine(err))
		}
	case asked:
		say("%s have not changed", r.what)
	}
}
