package stores

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// File is a file of a store that is being written. It must be used by one goroutine at a time.
type File struct {
	Part
	store Store
	name  string
}

var created atomic.Int64 // number of files that this process has created

// Create begins a file, which replaces an existing one. The file appears, complete, when Close has
// returned nil; before that, or after Abort, it does not exist.
func Create(s Store, name string) (*File, error) {
	host, _ := os.Hostname() // an empty name works too
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
		_ = f.Abort() // as far as possible
	}
	return err
}

// WriteFile writes a file of a store and replaces an existing one.
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
