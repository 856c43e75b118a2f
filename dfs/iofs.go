package dfs

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"
)

var (
	_ fs.ReadDirFS = (*FS)(nil)
	_ fs.StatFS    = (*FS)(nil)
)

// Open implements [fs.FS]. Files also implement io.ReaderAt and io.Seeker.
func (f *FS) Open(name string) (fs.File, error) {
	st, file, err := f.stat("open", name)
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		entries, err := f.ReadDir(name)
		if err != nil {
			return nil, err
		}
		return &openDir{stat: st, name: name, entries: entries}, nil
	}
	return openFile{io.NewSectionReader(&storedFile{f, name, file}, 0, st.Size()), st, name}, nil
}

// Stat implements [fs.StatFS].
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	st, _, err := f.stat("stat", name)
	if err != nil {
		return nil, err
	}
	return st, nil
}

// ReadDir implements [fs.ReadDirFS]; entries are sorted by name.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	st, dir, err := f.stat("readdir", name)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a directory")}
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	entries := make([]fs.DirEntry, 0, len(dir.children))
	for _, base := range slices.Sorted(maps.Keys(dir.children)) {
		entries = append(entries, fs.FileInfoToDirEntry(fileStat(*dir.children[base])))
	}
	return entries, nil
}

func (f *FS) stat(op, name string) (fileStat, *inode, error) {
	if !fs.ValidPath(name) {
		return fileStat{}, nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	file, err := f.ns.find(name)
	if err != nil {
		return fileStat{}, nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return fileStat(*file), file, nil
}

// fileStat is what fs.File.Stat returns: a copy of the inode, made when it was asked for.
type fileStat inode

func (s fileStat) Name() string       { return s.name }
func (s fileStat) Size() int64        { return (*inode)(&s).size() }
func (s fileStat) ModTime() time.Time { return s.modified }
func (s fileStat) IsDir() bool        { return s.children != nil }
func (s fileStat) Sys() any           { return nil }
func (s fileStat) Mode() fs.FileMode {
	if s.IsDir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// openFile is an open file: its section reads, seeks and reads at offsets.
type openFile struct {
	*io.SectionReader
	stat fileStat
	name string
}

func (o openFile) Stat() (fs.FileInfo, error) { return o.stat, nil }
func (o openFile) Close() error               { return nil }

func (o openFile) Seek(offset int64, whence int) (int64, error) {
	at, err := o.SectionReader.Seek(offset, whence)
	if err != nil { // of package io, without the file's name
		err = &fs.PathError{Op: "seek", Path: o.name, Err: fs.ErrInvalid}
	}
	return at, err
}

type openDir struct {
	stat    fileStat
	name    string
	entries []fs.DirEntry
	at      int
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.stat, nil }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errors.New("is a directory")}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := d.entries[d.at:]
	if n > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(n, len(rest))]
	}
	d.at += len(rest)
	return slices.Clone(rest), nil
}
