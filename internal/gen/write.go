package gen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/tarry-mr/tarry/internal/scratch"
)

// pieceBytes is the size of the pieces in which goroutines generate the output: whole records.
const pieceBytes = 10_000 * recordBytes

// Write writes the input that c describes to w, in pieces of about a megabyte. It returns the
// errors of Validate and of w or, if ctx ends first, its cause.
func Write(ctx context.Context, w io.Writer, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	k := kinds[c.kind()]
	c.Words, c.Skew = cmp.Or(c.Words, k.words), cmp.Or(c.Skew, DefaultSkew)
	f := k.new(c)
	pieces := (c.size() + pieceBytes - 1) / pieceBytes
	lanes := int64(runtime.GOMAXPROCS(0))
	ready, free := make([]chan []byte, lanes), make([]chan []byte, lanes)
	stop := make(chan struct{})
	defer close(stop)
	for lane := range lanes { // lane i generates pieces i, i+lanes, …
		ready[lane], free[lane] = make(chan []byte), make(chan []byte, 2)
		free[lane] <- make([]byte, 0, pieceBytes)
		free[lane] <- make([]byte, 0, pieceBytes)
		go func() {
			for piece := lane; piece < pieces; piece += lanes {
				var buf []byte
				select {
				case buf = <-free[lane]:
				case <-stop:
					return
				}
				n := min(pieceBytes, c.size()-piece*pieceBytes)
				buf = f(buf[:0], int(n), piece, newRng(c.Seed, piece))
				select {
				case ready[lane] <- buf:
				case <-stop:
					return
				}
			}
		}()
	}
	for piece := range pieces {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		buf := <-ready[piece%lanes]
		if _, err := w.Write(buf); err != nil {
			return fmt.Errorf("gen: %w", err)
		}
		if c.Progress != nil {
			c.Progress(min((piece+1)*pieceBytes, c.size()))
		}
		free[piece%lanes] <- buf
	}
	return nil
}

// WriteFile writes the input that c describes to the named file, through a temporary one in its
// directory, so that the name never refers to incomplete output. It removes temporary files of
// killed processes. It replaces an existing file only if overwrite is set; otherwise the error
// wraps os.ErrExist.
func WriteFile(ctx context.Context, name string, c Config, overwrite bool) error {
	if err := c.Validate(); err != nil {
		return err
	}
	switch info, err := os.Lstat(name); {
	case err == nil && !overwrite:
		return fmt.Errorf("gen: %s: %w", name, os.ErrExist)
	case err == nil && info.IsDir():
		return fmt.Errorf("gen: %w", &fs.PathError{Op: "create", Path: name, Err: syscall.EISDIR})
	}
	tmp, err := scratch.File(filepath.Dir(name), "_"+filepath.Base(name)+".tarry-")
	if err != nil {
		return fmt.Errorf("gen: %w", err)
	}
	if err := Write(ctx, tmp, c); err != nil {
		return errors.Join(err, tmp.Remove())
	}
	if err := tmp.Rename(name, 0o644); err != nil {
		return errors.Join(fmt.Errorf("gen: %w", err), tmp.Remove())
	}
	return nil
}
