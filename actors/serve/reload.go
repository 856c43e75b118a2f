package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// Configuration is the content of the files of Config.Files, read again.
type Configuration struct {
	Policy   scheduling.Policy
	Rules    *access.Rules
	Files    []string // it was read from these, which the server watches from now on
	Warnings []string
}

// lookEvery is the time between checks of the files. A change takes effect at the second check that
// sees it, 5 to 10 seconds after it was made (Hadoop's Fair Scheduler: 5 to 15), so that a
// half-written file is not applied.
const lookEvery = 5 * time.Second

// reloader applies changed files, completely or not at all. Files have changed if their content
// differs, whatever their times: an older file from a backup is applied, a touched one is not.
// While the content has errors, the one applied last stays effective, and every check tries again.
// Its methods are safe for concurrent use.
type reloader struct {
	what   string // the files, for the log
	log    *slog.Logger
	load   func() (Configuration, error) // reads the files and applies them
	failed func(error) error             // records why files were not applied

	mu      sync.Mutex
	files   []string
	applied []byte     // effective content; nil: unknown, so that the second check loads the files
	seen    []byte     // content at the last check
	err     error      // why the content is not effective now
	last    api.Reload // result of the last change
}

// run checks the files until ctx ends.
func (r *reloader) run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
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

// check applies a change of the files that the last check has seen, too; with atOnce it applies any
// change. The error says why the files are not applied. Of several errors in a row only the first
// is reported, unless the check is atOnce.
func (r *reloader) check(atOnce bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	content, err := r.read()
	settled := atOnce || bytes.Equal(content, r.seen)
	r.seen = content
	switch {
	case err != nil:
	case !settled:
		return r.err
	case bytes.Equal(content, r.applied): // perhaps again, after an error
		r.err = nil
		if atOnce {
			r.log.Info("the " + r.what + " have not changed")
		}
		return nil
	default:
		var c Configuration
		if c, err = r.load(); err == nil {
			r.files, r.applied = c.Files, content
		}
		for _, w := range c.Warnings {
			r.log.Warn(w)
		}
	}
	report := r.err == nil || atOnce
	switch r.err = err; {
	case err == nil:
		r.last = api.Reload{Time: new(time.Now().Round(0))}
		r.log.Info("the " + r.what + " are reloaded")
	case report:
		r.last = api.Reload{Time: new(time.Now().Round(0)), Error: oneLine(err)}
		r.log.Error("the "+r.what+" are not reloaded, the server keeps the old ones", "err", r.last.Error)
		if err := r.failed(err); err != nil {
			r.log.Warn("no event tells of it", "err", err)
		}
	}
	return err
}

// outcome returns the result of the last change.
func (r *reloader) outcome() api.Reload {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// read returns what the files hold, with their names and modes.
func (r *reloader) read() (content []byte, err error) {
	for _, name := range r.files {
		text, err := os.ReadFile(name)
		info, bad := os.Stat(name)
		if err = cmp.Or(err, bad); err != nil {
			return nil, fileError(name, err)
		}
		content = append(fmt.Appendf(content, "%q %v %d\n", name, info.Mode(), len(text)), text...)
	}
	return content, nil
}

// fileError returns err with the file's name, which it contains once.
func fileError(name string, err error) error {
	if bad, ok := errors.AsType[*fs.PathError](err); ok {
		err = bad.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// watchFiles watches the configuration files and the file of the tokens until the server ends.
func (s *Server) watchFiles() {
	s.config = s.watch(&reloader{
		what: "configuration files", files: s.cfg.Files, failed: s.cluster.ReloadFailed,
		load: func() (Configuration, error) {
			c, err := s.cfg.Reread()
			if err == nil {
				err = s.cluster.Reload(c.Policy, c.Rules)
			}
			return c, err
		},
	})
	if t := s.cfg.Access.Tokens; t != nil && t.file != "" {
		s.watch(&reloader{
			what: "tokens", files: []string{t.file}, failed: func(error) error { return nil },
			load: func() (Configuration, error) { return Configuration{Files: []string{t.file}}, t.read() },
		})
	}
}

// watch starts r, whose files are applied already, and returns it. It returns nil if there are
// none, or if one is not a regular file and so cannot be read twice.
func (s *Server) watch(r *reloader) *reloader {
	notRegular := func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.Mode().IsRegular()
	}
	if len(r.files) == 0 || slices.ContainsFunc(r.files, notRegular) {
		return nil
	}
	r.log = s.cfg.Log
	r.applied, _ = r.read() // the next checks report an error
	s.reloaders = append(s.reloaders, r)
	s.work.Go(func() { r.run(s.ended) })
	return r
}

// Reload reads Config.Files and the file of the tokens again, at once. The log tells the result.
func (s *Server) Reload() {
	for _, r := range s.reloaders {
		_ = r.check(true) // it is logged
	}
}
