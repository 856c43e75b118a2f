package input

import (
	"fmt"
	"io"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/globs"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// storedFiles returns the sources of a URL in a store, which may have wildcards, for Files.
func storedFiles(url string) (list []Source, err error) {
	defer fault.Catch(&err)
	store, within, err := stores.Open(url)
	if err != nil {
		return nil, err
	}
	root, _ := stores.Split(url)
	names, err := globs.ExpandFS(store, within)
	if err != nil {
		return nil, fault.InStore(root, err)
	}
	for _, name := range names {
		if isZip(name) {
			return nil, fmt.Errorf("%s/%s: zip archives are read from files of this machine: get it first", root, name)
		}
		s, err := titledFile(store, name, root+"/"+name)
		if err != nil {
			return nil, fault.InStore(root, err)
		}
		if s.packed != nil { // as one stream, not in pieces
			s.stream = func() (io.ReadCloser, error) {
				f, err := store.Open(name)
				if err != nil {
					return nil, fault.InStore(root, err)
				}
				return f, nil
			}
		}
		list = append(list, s)
	}
	return list, nil
}
