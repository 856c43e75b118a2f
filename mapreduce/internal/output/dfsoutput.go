package output

import (
	"errors"
	"io"
	"io/fs"

	"github.com/tarry-mr/tarry/dfs"
)

// InDFS implements mapreduce.InDFS, which documents it.
func InDFS(fsys *dfs.FS, dir string) Destination { return InFS(blockFS{fsys}, dir) }

// blockFS makes a dfs.FS an FS. A directory exists while it contains files.
type blockFS struct{ fs *dfs.FS }

func (b blockFS) Create(name string) (io.WriteCloser, error) { return b.fs.Create(name, "", 0) }
func (b blockFS) Rename(oldName, newName string) error       { return b.fs.Rename(oldName, newName) }

func (b blockFS) RemoveAll(name string) error {
	if err := b.fs.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (b blockFS) Exists(name string) (bool, error) {
	_, err := b.fs.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
