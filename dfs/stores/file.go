package stores

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// File is a new file of a store, open for writing. It must be used by one goroutine at a time.
type File struct {
	Part
	store Store
	name  string
}

var created atomic.Int64 // number of Creates in this process

// Create starts to write a file. When Close has returned nil, the whole file appears and replaces
// an existing one of that name. Before that, and after Abort, nothing changes.
func Create(s Store, name string) (*File, error) {
	host, _ := os.Hostname() // without a name, process and number still differ
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

// WriteFile writes data as a file of a store, in place of an existing one.
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
