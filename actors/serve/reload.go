package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// Configuration is the content of the files of Config.Files, read again.
type Configuration struct {
	Policy   scheduling.Policy
	Rules    *allocation.Rules
	Files    []string // it was read from these, which the server watches from now on
	Warnings []string
}

// reloader applies changed files: all that they say, or nothing. Its methods are safe for
// concurrent use; those of a nil one, which watches no files, do nothing.
type reloader struct {
	what   string // the files, for the log
	log    *slog.Logger
	load   func() (files, warnings []string, err error) // reads the files and applies them
	failed func(error) error                            // records why files were not applied
	open   func(string) (fs.File, error)                // opens a file to compare it

	mu    sync.Mutex
	files []string
	state *allocation.Reloader
	last  api.Reload // result of the last change
}

// start returns r, whose files are applied already; nil if there are none, or if one is not a regular
// file and so cannot be read twice.
func (r *reloader) start() *reloader {
	notRegular := func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.Mode().IsRegular()
	}
	if len(r.files) == 0 || slices.ContainsFunc(r.files, notRegular) {
		return nil
	}
	_, content, err := r.read()
	if err != nil {
		content = nil // the file has changed meanwhile: the first check will load it
	}
	r.state = allocation.NewReloader(time.Now(), content, func([]byte) error {
		files, warnings, err := r.load()
		if err != nil {
			return err
		}
		r.files = files
		for _, w := range warnings {
			r.log.Warn(w)
		}
		return nil
	})
	return r
}

// run checks the files every 10 s, to a second, until ctx ends.
func (r *reloader) run(ctx context.Context) {
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
			_ = r.check(false) // it is logged
		}
	}
}

// check reads the files if it is time to, or at once, and applies a change. The error says why the
// files are not applied.
func (r *reloader) check(atOnce bool) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if !atOnce && !r.state.Due(now) {
		return nil
	}
	modified, content, err := r.read()
	var look allocation.Look
	switch {
	case err != nil:
		look = r.state.Fail(now, err)
		look.Report = look.Report || atOnce
	case atOnce:
		look = r.state.Force(now, content)
	default:
		look = r.state.Offer(now, modified, content)
	}
	switch {
	case look.Loaded:
		r.last = api.Reload{Time: new(now.Round(0))}
		r.log.Info("the " + r.what + " are reloaded")
	case look.Report:
		r.last = api.Reload{Time: new(now.Round(0)), Error: oneLine(look.Err)}
		r.log.Error("the "+r.what+" are not reloaded, the server keeps the old ones", "err", r.last.Error)
		if err := r.failed(look.Err); err != nil {
			r.log.Warn("no event tells of it", "err", err)
		}
	case atOnce:
		r.log.Info("the " + r.what + " have not changed")
	}
	return look.Err
}

// outcome returns the result of the last change.
func (r *reloader) outcome() api.Reload {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// read returns what the files hold, with their names and modes, and when the last of them was
// modified.
func (r *reloader) read() (modified time.Time, content []byte, err error) {
	for _, name := range r.files {
		text, info, err := r.readFile(name)
		if err != nil {
			return modified, nil, fileError(name, err)
		}
		if info.ModTime().After(modified) {
			modified = info.ModTime()
		}
		content = append(fmt.Appendf(content, "%q %v %d\n", name, info.Mode(), len(text)), text...)
	}
	return modified, content, nil
}

// readFile returns a file's text and what is known of the file after the last byte was read: a file
// that is written meanwhile counts as modified then, and is not applied before it rests.
func (r *reloader) readFile(name string) (text []byte, info fs.FileInfo, err error) {
	f, err := r.open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if text, err = io.ReadAll(f); err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	return text, info, err
}

// openFile opens a file of the operating system.
func openFile(name string) (fs.File, error) { return os.Open(name) }

// fileError returns what is wrong with a file, which it names once.
func fileError(name string, err error) error {
	if bad, ok := errors.AsType[*fs.PathError](err); ok {
		err = bad.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// watchFiles watches the files of the policy and of the tokens until the server ends.
func (s *Server) watchFiles() {
	config := &reloader{
		what: "configuration files", log: s.cfg.Log, files: s.cfg.Files, failed: s.cluster.ReloadFailed, open: openFile,
		load: func() (files, warnings []string, err error) {
			c, err := s.cfg.Reread()
			if err == nil {
				err = s.cluster.Reload(c.Policy, c.Rules)
			}
			return c.Files, c.Warnings, err
		},
	}
	s.config = config.start()
	if t := s.cfg.Access.Tokens; t != nil && t.file != "" {
		tokens := &reloader{
			what: "tokens", log: s.cfg.Log, files: []string{t.file}, failed: func(error) error { return nil },
			open: openFile,
			load: func() (files, warnings []string, err error) {
				again, err := ReadTokens(t.file)
				if err == nil {
					t.Replace(again)
				}
				return []string{t.file}, nil, err
			},
		}
		s.tokens = tokens.start()
	}
	for _, r := range []*reloader{s.config, s.tokens} {
		s.work.Go(func() { r.run(s.ended) })
	}
}

// Reload reads Config.Files and the file of the tokens again, at once. The log tells the result.
func (s *Server) Reload() {
	_, _ = s.config.check(true), s.tokens.check(true)
}
