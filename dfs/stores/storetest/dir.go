// Package storetest tests implementations of stores.Store. It has a Store on a local directory, for
// tests of packages that use stores.
package storetest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/tarry-mr/tarry/dfs/stores"
)

// Dir is a Store on a local directory, which several processes may use. Parts before their commit
// are in its subdirectory .parts.
type Dir struct {
	Root string
	// Lost, if not nil, is called before each operation; its error simulates a store that cannot be
	// reached. Set it before the store is used.
	Lost func(op, name string) error
}

const parts = ".parts"

var count atomic.Int64 // number of files begun

func (d *Dir) at(name string) string { return filepath.Join(d.Root, filepath.FromSlash(name)) }

// reach returns the error of d.Lost, with which a test simulates an unreachable store.
func (d *Dir) reach(op, name string) error {
	if d.Lost != nil {
		if err := d.Lost(op, name); err != nil {
			return &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	return nil
}

// plain returns err with the file's name in the store in place of its local path.
func plain(name string, err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: at.Op, Path: name, Err: at.Err}
	}
	return err
}

// Open implements fs.FS.
func (d *Dir) Open(name string) (fs.File, error) {
	if err := d.reach("open", name); err != nil {
		return nil, err
	}
	f, err := os.Open(d.at(name))
	if err != nil {
		return nil, plain(name, err)
	}
	return file{f, d, name}, nil
}

// file is an open file; its reads fail if Dir.Lost returns an error.
type file struct {
	*os.File
	dir  *Dir
	name string
}

// ReadAt implements io.ReaderAt.
func (f file) ReadAt(p []byte, off int64) (int, error) {
	if err := f.dir.reach("read", f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

// Stat implements fs.File.
func (f file) Stat() (fs.FileInfo, error) { return f.dir.Stat(f.name) }

// info is a FileInfo whose Sys is a version, as for an object in a store.
type info struct{ fs.FileInfo }

// Sys implements fs.FileInfo.
func (i info) Sys() any {
	return stores.Version(fmt.Sprintf("%d-%d", i.Size(), i.ModTime().UnixNano()))
}

// Stat implements fs.StatFS.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	if err := d.reach("stat", name); err != nil {
		return nil, err
	}
	i, err := os.Stat(d.at(name))
	return info{i}, plain(name, err)
}

// ReadDir implements fs.ReadDirFS.
func (d *Dir) ReadDir(name string) (list []fs.DirEntry, err error) {
	if err := d.reach("list", name); err != nil {
		return nil, err
	}
	all, err := os.ReadDir(d.at(name))
	for _, e := range all {
		if e.Name() != parts {
			list = append(list, e)
		}
	}
	return list, plain(name, err)
}

// CreateNew implements stores.Store.
func (d *Dir) CreateNew(name string, data []byte) error {
	if err := d.reach("create", name); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(d.at(name)), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(d.at(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return plain(name, err)
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// RemoveAll implements stores.Store. If another process creates files in the directory meanwhile,
// they may stay, without an error.
func (d *Dir) RemoveAll(name string) error {
	if err := d.reach("remove", name); err != nil {
		return err
	}
	for {
		if err := os.RemoveAll(d.at(name)); !errors.Is(err, fs.ErrExist) { // a file was created in a directory meanwhile
			return err
		}
	}
}

// Begin implements stores.Store.
func (d *Dir) Begin(name, _ string) (stores.Part, error) {
	if err := d.reach("begin", name); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(d.at(parts), 0o700); err != nil {
		return nil, err
	}
	receipt := fmt.Sprintf("%s.%d.%d", strings.ReplaceAll(name, "/", "%"), os.Getpid(), count.Add(1))
	f, err := os.Create(d.at(parts + "/" + receipt))
	if err != nil {
		return nil, err
	}
	return &part{f, d, name, receipt}, nil
}

// part is a Part of a Dir: a file that is invisible until Complete renames it.
type part struct {
	*os.File
	dir           *Dir
	name, receipt string
}

// Write implements io.Writer.
func (p *part) Write(b []byte) (int, error) {
	if err := p.dir.reach("write", p.name); err != nil {
		return 0, err
	}
	return p.File.Write(b)
}

// Close implements io.Closer.
func (p *part) Close() error {
	if err := p.dir.reach("close", p.name); err != nil {
		return err
	}
	return p.File.Close()
}

// Receipt implements stores.Part.
func (p *part) Receipt() string { return p.receipt }

// Abort implements stores.Part.
func (p *part) Abort() error {
	if err := p.dir.reach("abort", p.name); err != nil {
		return err
	}
	_ = p.File.Close() // Close may have been called
	return os.RemoveAll(p.Name())
}

// Complete implements stores.Store.
func (d *Dir) Complete(name, receipt string) error {
	if err := d.reach("complete", name); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(d.at(name)), 0o700); err != nil {
		return err
	}
	err := os.Rename(d.at(parts+"/"+receipt), d.at(name))
	if errors.Is(err, fs.ErrNotExist) {
		if _, there := os.Stat(d.at(name)); there == nil {
			return nil // it was completed before
		}
	}
	return err
}

// AbandonAll implements stores.Store.
func (d *Dir) AbandonAll(dir string) error {
	if err := d.reach("abandon", dir); err != nil {
		return err
	}
	for _, name := range d.Begun() {
		if strings.HasPrefix(name, strings.ReplaceAll(dir, "/", "%")+"%") {
			err := os.Remove(d.at(parts + "/" + name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process may have dropped the part
				return err
			}
		}
	}
	return nil
}

// Begun lists the parts that have been begun, but neither completed nor dropped.
func (d *Dir) Begun() (list []string) {
	all, _ := os.ReadDir(d.at(parts)) // it may not exist
	for _, e := range all {
		list = append(list, e.Name())
	}
	return list
}
