package serve

import (
	"bytes"
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
	"github.com/tarry-mr/tarry/scheduling/access"
)

// Configuration is the content of the files of Config.Files, read again.
type Configuration struct {
	Policy   scheduling.Policy
	Rules    *access.Rules
	Files    []string // it was read from these, which the server watches from now on
	Warnings []string
}

// The times of Hadoop's Fair Scheduler: a change takes effect 5 to 15 seconds after it was made.
const (
	lookEvery = 10 * time.Second // time between checks of the files
	// settleAfter is the age that a change must exceed, so that a half-written file is not read.
	settleAfter = 5 * time.Second
)

// reloader applies changed files, completely or not at all. Files have changed if their content
// differs, whatever their times: an older file from a backup is applied, a touched one is not.
// While the content has errors, the one applied last stays effective, and every check tries again.
// Its methods are safe for concurrent use; those of a nil one, which watches no files, do nothing.
type reloader struct {
	what   string // the files, for the log
	log    *slog.Logger
	load   func() (files, warnings []string, err error) // reads the files and applies them
	failed func(error) error                            // records why files were not applied
	open   func(string) (fs.File, error)                // opens a file to compare it

	mu      sync.Mutex
	files   []string
	applied []byte     // effective content; nil: unknown, so that the first check loads the files
	looked  time.Time  // last check
	seen    time.Time  // time of the files at the last check
	since   time.Time  // first check at which they had that time
	err     error      // why their content is not effective now
	last    api.Reload // result of the last change
}

// start returns r, whose files are applied already. It returns nil if there are none, or if one is
// not a regular file and so cannot be read twice.
func (r *reloader) start() *reloader {
	notRegular := func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.Mode().IsRegular()
	}
	if len(r.files) == 0 || slices.ContainsFunc(r.files, notRegular) {
		return nil
	}
	r.looked = time.Now()
	if _, content, err := r.read(); err == nil {
		r.applied = content
	}
	return r
}

// run checks the files every 10 s, to a second, until ctx ends.
func (r *reloader) run(ctx context.Context) {
	if r == nil {
		return
	}
	tick := time.NewTicker(lookEvery / 10)
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

// check applies a change of the files if the last check is long enough ago and the change old
// enough; with atOnce it applies any change. The error says why the files are not applied. Of
// several errors in a row only the first is reported, unless the check is atOnce.
func (r *reloader) check(atOnce bool) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if !atOnce && now.Sub(r.looked) < lookEvery {
		return nil
	}
	r.looked = now
	modified, content, err := r.read()
	switch {
	case err != nil:
	case !atOnce && !r.settled(now, modified):
		return r.err
	case bytes.Equal(content, r.applied): // perhaps again, after an error
		r.err = nil
		if atOnce {
			r.log.Info("the " + r.what + " have not changed")
		}
		return nil
	default:
		err = r.apply(content)
	}
	report := r.err == nil || atOnce
	switch r.err = err; {
	case err == nil:
		r.last = api.Reload{Time: new(now.Round(0))}
		r.log.Info("the " + r.what + " are reloaded")
	case report:
		r.last = api.Reload{Time: new(now.Round(0)), Error: oneLine(err)}
		r.log.Error("the "+r.what+" are not reloaded, the server keeps the old ones", "err", r.last.Error)
		if err := r.failed(err); err != nil {
			r.log.Warn("no event tells of it", "err", err)
		}
	}
	return err
}

// settled records the time of the files and reports whether their last change is old enough. A time
// in the future, by another clock, has settled once it has not changed for settleAfter.
func (r *reloader) settled(now, modified time.Time) bool {
	if !modified.Equal(r.seen) || r.since.IsZero() {
		r.seen, r.since = modified, now
	}
	return now.Sub(modified) > settleAfter || now.Sub(r.since) > settleAfter
}

// apply loads the files and makes them effective; content is what they contain.
func (r *reloader) apply(content []byte) error {
	files, warnings, err := r.load()
	if err != nil {
		return err
	}
	r.files, r.applied = files, content
	for _, w := range warnings {
		r.log.Warn(w)
	}
	return nil
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

// fileError returns err with the file's name, which it contains once.
func fileError(name string, err error) error {
	if bad, ok := errors.AsType[*fs.PathError](err); ok {
		err = bad.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// watchFiles watches the configuration files and the file of the tokens until the server ends.
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
