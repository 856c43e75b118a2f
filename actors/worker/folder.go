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
	dir   string
	url   string // name of the store, such as s3://BUCKET; empty on a disk
}

// folderOf returns the folder that contains a file.
func folderOf(file string) (f folder, err error) {
	if !stores.Named(file) {
		return folder{dir: filepath.Dir(file)}, nil
	}
	return folderAt(file[:strings.LastIndexByte(file, '/')])
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

// withFullName replaces the name of a file in an error of a store by its full name.
func (f folder) withFullName(name string, err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok && f.store != nil {
		return fmt.Errorf("%s: %w", f.fullName(name), pathErr.Err)
	}
	return err
}

// read returns the content of a file in the folder.
func (f folder) read(name string) ([]byte, error) {
	if f.store == nil {
		return os.ReadFile(f.fullName(name))
	}
	b, err := fs.ReadFile(f.store, path.Join(f.dir, name))
	return b, f.withFullName(name, err)
}

// make creates the folder. In a store it needs none.
func (f folder) make() error {
	if f.store != nil {
		return nil
	}
	return os.MkdirAll(f.dir, 0o777)
}

// write writes a file. It does not create the folder, since a late task would leave it behind after
// its run. Tasks may run as another user, so modes follow the umask.
func (f folder) write(name string, data []byte) error {
	if f.store == nil {
		return os.WriteFile(f.fullName(name), data, 0o666)
	}
	return f.withFullName(name, stores.WriteFile(f.store, path.Join(f.dir, name), data))
}

// remove removes a file of the folder.
func (f folder) remove(name string) error {
	if f.store == nil {
		return os.Remove(f.fullName(name))
	}
	return f.withFullName(name, f.store.RemoveAll(path.Join(f.dir, name)))
}

// list lists the folder; a missing folder is empty.
func (f folder) list() (list []fs.DirEntry, err error) {
	if f.store == nil {
		list, err = os.ReadDir(f.dir)
	} else {
		list, err = f.store.ReadDir(f.dir)
	}
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

// put creates a file atomically: it appears after write has returned. attempt makes the temporary
// name unique.
func (f folder) put(name, attempt string, write func(w io.Writer) error) (err error) {
	var file *os.File
	if f.store == nil { // the submitter may be another user
		file, err = os.OpenFile(f.fullName(fmt.Sprintf(".%s-%s-%d", name, attempt, rand.Uint64())), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	} else {
		file, err = os.CreateTemp("", name+"-"+attempt+"-*") // until it is sent
	}
	if err != nil {
		return err
	}
	defer func() {
		if f.store != nil || err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := write(file); err != nil {
		return err
	}
	if f.store == nil {
		return os.Rename(file.Name(), f.fullName(name))
	}
	return f.send(name, file)
}

// send copies a local file to a folder that is in a store.
func (f folder) send(name string, file *os.File) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	to, err := stores.Create(f.store, path.Join(f.dir, name))
	if err != nil {
		return f.withFullName(name, err)
	}
	if _, err = io.Copy(to, file); err != nil {
		return f.withFullName(name, errors.Join(err, to.Abort()))
	}
	return f.withFullName(name, to.Close())
}

// sharedFile is an open file of a folder.
type sharedFile interface {
	fs.File
	io.ReaderAt
}

// open opens a file of the folder for reading.
func (f folder) open(name string) (sharedFile, error) {
	if f.store == nil {
		return os.Open(f.fullName(name))
	}
	file, err := f.store.Open(path.Join(f.dir, name))
	if err != nil {
		return nil, f.withFullName(name, err)
	}
	return file.(sharedFile), nil
}
