package output

import (
	"errors"
	"io/fs"
	"path"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/dfs/stores"
)

// InDFS implements mapreduce.InDFS, which documents it.
func InDFS(fsys *dfs.FS, dir string) Destination {
	return inStore(&dirStore{url: dir, fs: blockStore{fsys}, dir: path.Clean(dir)})
}

// blockStore makes a dfs.FS a stores.Store.
type blockStore struct{ *dfs.FS }

// CreateNew implements stores.Store. The file is empty, since its data only inform users.
func (b blockStore) CreateNew(name string, _ []byte) error { return b.WriteFile(name, nil) }

// RemoveAll implements stores.Store.
func (b blockStore) RemoveAll(name string) error {
	if err := b.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Begin implements stores.Store. The receipt is the name of the file until Complete.
func (b blockStore) Begin(name, attempt string) (stores.Part, error) {
	name = path.Join(path.Dir(name), Temporary, attempt)
	w, err := b.Create(name)
	if err != nil {
		return nil, err
	}
	return blockPart{w, b, name}, nil
}

// Complete implements stores.Store. It removes the directory of parts once there are none.
func (b blockStore) Complete(name, receipt string) error {
	if err := b.Rename(receipt, name); err != nil {
		return err
	}
	return b.RemoveEmpty(path.Dir(receipt))
}

// AbandonAll implements stores.Store. The parts are files of Temporary.
func (b blockStore) AbandonAll(dir string) error { return b.RemoveAll(path.Join(dir, Temporary)) }

// blockPart is a part of a blockStore.
type blockPart struct {
	*dfs.Writer
	store blockStore
	name  string
}

// Receipt implements stores.Part.
func (p blockPart) Receipt() string { return p.name }

// Abort implements stores.Part. A late attempt may abort after its job has removed the directory.
func (p blockPart) Abort() error {
	return errors.Join(p.Writer.Abort(), p.store.RemoveAll(p.name), p.store.RemoveEmpty(path.Dir(p.name)))
}
