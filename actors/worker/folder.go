package worker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/tarry-mr/tarry/dfs/stores"
)

// folder is the directory that the submitter and workers share, with the plan:
// _OUT.new/_temporary on a common disk, or OUT/_temporary in a store. Names in it use slashes.
type folder struct {
	store stores.Store // nil: the folder is on a disk
	dir   string       // its path, on the disk or in the store
	url   string       // its name, such as s3://BUCKET/DIR; empty on a disk
}

// folderAt returns the folder with a path, or with a name for package stores.
func folderAt(place string) (f folder, err error) {
	if !stores.Named(place) {
		return folder{dir: place}, nil
	}
	store, within, err := stores.Open(place)
	return folder{store, within, place}, err
}

// below returns the subfolder called name; it need not exist.
func (f folder) below(name string) folder {
	if f.store == nil {
		return folder{dir: filepath.Join(f.dir, name)}
	}
	return folder{f.store, path.Join(f.dir, name), f.url + "/" + name}
}

// fullName returns the full name of a file in it: a path, or a name for package stores.
func (f folder) fullName(name string) string {
	if f.store == nil {
		return filepath.Join(f.dir, name)
	}
	return strings.TrimSuffix(f.url+"/"+name, "/")
}

// withFullName replaces the name of a file in an error by its full name.
func (f folder) withFullName(name string, err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", f.fullName(name), pathErr.Err)
	}
	return err
}

// files returns what the folder's files are read from, and the folder's name there.
func (f folder) files() (files fs.FS, dir string) {
	if f.store == nil {
		return os.DirFS(f.dir), "."
	}
	return f.store, f.dir
}

// read returns the content of a file in the folder.
func (f folder) read(name string) ([]byte, error) {
	files, dir := f.files()
	b, err := fs.ReadFile(files, path.Join(dir, name))
	return b, f.withFullName(name, err)
}

// make creates the folder. In a store it needs none.
func (f folder) make() error {
	if f.store != nil {
		return nil
	}
	return os.MkdirAll(f.dir, 0o777)
}

// write writes a file; see put.
func (f folder) write(name string, data []byte) error {
	return f.put(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// list lists the folder; a missing folder is empty.
func (f folder) list() (list []fs.DirEntry, err error) {
	list, err = fs.ReadDir(f.files())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, f.withFullName("", err)
}

// count returns how many files of the folder have names with a prefix.
func (f folder) count(prefix string) (n int, err error) {
	files, err := f.list()
	for _, file := range files {
		if strings.HasPrefix(file.Name(), prefix) {
			n++
		}
	}
	return n, err
}

// put writes a file atomically: it appears after write has returned. It does not create the folder,
// since a late task would leave it behind after its run. Tasks may run as another user than the
// submitter, so modes follow the umask.
func (f folder) put(name string, write func(w io.Writer) error) (err error) {
	if f.store != nil {
		return f.withFullName(name, f.send(name, write))
	}
	temp := f.fullName(fmt.Sprintf(".%s-%d", name, rand.Uint64()))
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if err = errors.Join(write(file), file.Close()); err == nil {
		err = os.Rename(temp, f.fullName(name))
	}
	if err != nil {
		err = errors.Join(err, os.Remove(temp))
	}
	return err
}

// send writes a file of a folder that is in a store.
func (f folder) send(name string, write func(w io.Writer) error) error {
	to, err := stores.Create(f.store, path.Join(f.dir, name))
	if err != nil {
		return err
	}
	if err := write(to); err != nil {
		return errors.Join(err, to.Abort())
	}
	return to.Close()
}

// sharedFile is an open file of a folder.
type sharedFile interface {
	fs.File
	io.ReaderAt
}

// open opens a file of the folder for reading.
func (f folder) open(name string) (sharedFile, error) {
	files, dir := f.files()
	file, err := files.Open(path.Join(dir, name))
	if err != nil {
		return nil, f.withFullName(name, err)
	}
	return file.(sharedFile), nil
}
