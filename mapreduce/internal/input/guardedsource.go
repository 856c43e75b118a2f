package input

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// guardedSource wraps a user's dfs.Source: it turns panics into errors that name the source, and
// checks results against the contract of dfs.Source.
type guardedSource struct {
	dfs.Source
	name   string
	size   int64
	failed atomic.Pointer[error] // the error of a release, which has no other way to report it
}

// guarded returns data, or a wrapper of user code whose panics become errors. It rejects a nil
// data. Sources of package dfs need no wrapper.
func guarded(data dfs.Source) (_ dfs.Source, err error) {
	if data == nil {
		return nil, errors.New("mapreduce: a source without data")
	}
	if _, done := data.(*guardedSource); done || dfs.Shared(data) {
		return data, nil
	}
	f := &guardedSource{Source: data, name: fmt.Sprintf("%T", data)}
	defer f.named(&err)
	defer fault.Catch(&err)
	f.name = data.Name()
	f.size = data.Size()
	if f.size < 0 {
		return nil, fmt.Errorf("a size of %d bytes", f.size)
	}
	return f, nil
}

// named adds the source's name to *err, if there is an error.
func (f *guardedSource) named(err *error) {
	if *err != nil {
		*err = fmt.Errorf("input %s: %w", f.name, *err)
	}
}

// Name implements dfs.Source.
func (f *guardedSource) Name() string { return f.name }

// Size implements dfs.Source.
func (f *guardedSource) Size() int64 { return f.size }

// ReadAt implements dfs.Source. A bare error, such as io.EOF, stays bare.
func (f *guardedSource) ReadAt(p []byte, off int64) (n int, err error) {
	panicked := true
	defer func() {
		if panicked {
			n = 0
			f.named(&err)
		}
	}()
	defer fault.Catch(&err)
	n, err = f.Source.ReadAt(p, off)
	if panicked = n < 0 || n > len(p); panicked {
		err = fmt.Errorf("ReadAt says that it read %d bytes of %d", n, len(p))
	}
	return n, err
}

// Hosts implements dfs.Located. It returns none if the data does not know its hosts, or panics.
func (f *guardedSource) Hosts(off, n int64) (hosts []string) {
	var err error
	defer fault.Catch(&err)
	if p, ok := f.Source.(dfs.Located); ok {
		return p.Hosts(off, n)
	}
	return nil
}

// View implements dfs.Source.
func (f *guardedSource) View(off int64, n int) (b []byte, release func(), err error) {
	defer f.named(&err)
	defer fault.Catch(&err)
	b, giveBack, err := f.Source.View(off, n)
	switch {
	case err != nil:
		return nil, nil, err
	case giveBack == nil:
		giveBack = func() {}
	}
	if len(b) != n {
		giveBack()
		return nil, nil, fmt.Errorf("View(%d, %d) gave %d bytes", off, n, len(b))
	}
	return b, func() { f.release(giveBack) }, nil
}

// release calls fn, a View's release, and notes a panic, which could end the process here.
func (f *guardedSource) release(fn func()) {
	var err error
	defer func() {
		if err != nil {
			f.failed.CompareAndSwap(nil, &err)
		}
	}()
	defer fault.Catch(&err)
	fn()
}

// Close implements dfs.Source; its error includes those of releases.
func (f *guardedSource) Close() (err error) {
	defer f.named(&err)
	defer fault.Catch(&err)
	err = f.Source.Close()
	if failed := f.failed.Load(); failed != nil {
		err = errors.Join(err, *failed)
	}
	return err
}

// maxIdle is the number of successive empty reads without an error after which a reader has failed.
const maxIdle = 1000

// foreignStream wraps a user's reader: it turns panics into errors that name the source.
type foreignStream struct {
	io.ReadCloser
	source Source
	idle   int
}

// Read implements io.Reader. A bare io.EOF stays bare.
func (f *foreignStream) Read(p []byte) (n int, err error) {
	defer func() {
		if err != nil && err != io.EOF { //nolint:errorlint // a wrapped EOF is a damaged stream
			err = Named(f.source, err)
		}
	}()
	defer fault.Catch(&err)
	n, err = f.ReadCloser.Read(p)
	if n < 0 || n > len(p) {
		return 0, fmt.Errorf("Read says that it read %d bytes of %d", n, len(p))
	}
	if f.idle++; n > 0 || err != nil {
		f.idle = 0
	}
	if f.idle == maxIdle {
		err = io.ErrNoProgress
	}
	return n, err
}

// Named returns err with the source's name in its text, unless it is there. err is not nil.
func Named(s Source, err error) error {
	if strings.Contains(err.Error(), s.name) {
		return err
	}
	return fmt.Errorf("%s: %w", s.name, err)
}
