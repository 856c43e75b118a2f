package stores

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// File is a file of a store while it is written. One goroutine uses it.
type File struct {
	Part
	store Store
	name  string
}

var created atomic.Int64 // by this process

// Create begins a file, in place of one that is there. It is there, whole, when Close has returned nil,
// and not before, nor after Abort.
func Create(s Store, name string) (*File, error) {
	host, _ := os.Hostname() // empty does, too
	p, err := s.Begin(name, fmt.Sprintf("%s-%d-%d", host, os.Getpid(), created.Add(1)))
	if err != nil {
		return nil, err
	}
	return &File{p, s, name}, nil
}

// Close implements io.Closer.
func (f *File) Close() error {
	err := f.Part.Close()
	if err == nil {
		err = f.store.Complete(f.name, f.Receipt())
	}
	if err != nil {
		_ = f.Abort() // as far as that can still be done
	}
	return err
}

// WriteFile makes a file of a store, in place of one that is there.
func WriteFile(s Store, name string, data []byte) error {
	f, err := Create(s, name)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}
