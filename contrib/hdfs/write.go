package hdfs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"github.com/tarry-mr/tarry/dfs/stores"
)

// temporary is the directory of incomplete files.
const temporary = "_temporary"

// part is a file that is written to local disk, and sent to HDFS when it is complete.
type part struct {
	store *store
	name  string // of the file before its commit
	spool *os.File
	id    uint64 // of the file in HDFS; 0 until it is sent
	err   error
}

// Begin implements stores.Store.
func (s *store) Begin(name, attempt string) (stores.Part, error) {
	if !fs.ValidPath(name) || name == "." {
		return nil, &fs.PathError{Op: "write", Path: name, Err: fs.ErrInvalid}
	}
	spool, err := os.CreateTemp("", "tarry-hdfs-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(spool.Name()) // the open descriptor still works, if the system allows removal
	return &part{store: s, name: path.Join(path.Dir(name), temporary, attempt+"~"+path.Base(name)), spool: spool}, nil
}

// Write implements io.Writer.
func (p *part) Write(b []byte) (n int, err error) {
	if p.err == nil {
		n, p.err = p.spool.Write(b)
	}
	return n, p.err
}

// Close implements io.Closer.
func (p *part) Close() error {
	if p.err != nil {
		return cmp.Or(p.err, p.drop())
	}
	p.err = again(p.send)
	if p.err != nil {
		p.err = failed("write", p.name, p.err)
	}
	return cmp.Or(p.err, p.drop())
}

// drop closes and removes the local file.
func (p *part) drop() error {
	if p.spool == nil {
		return nil
	}
	err := p.spool.Close()
	if bad := os.Remove(p.spool.Name()); bad != nil && !errors.Is(bad, fs.ErrNotExist) {
		err = errors.Join(err, bad)
	}
	p.spool = nil
	return err
}

// send sends the whole local file to HDFS, over what a failed send has left.
func (p *part) send() error {
	if _, err := p.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := p.store.client.Remove(at(p.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := p.store.create(p.name, p.spool); err != nil {
		return err
	}
	i, err := p.store.client.Stat(at(p.name))
	if err == nil {
		p.id = infoOf(i).id
	}
	return err
}

// create writes r to a new file in HDFS; an existing one is an error.
func (s *store) create(name string, r io.Reader) error {
	if err := s.client.MkdirAll(at(path.Dir(name)), 0o755); err != nil {
		return err
	}
	w, err := s.client.Create(at(name))
	if err != nil {
		return err
	}
	b := make([]byte, 256<<10)
	for {
		n, err := r.Read(b)
		if n > 0 {
			if bad := errors.Join(w.SetDeadline(time.Now().Add(answerTimeout)), write(w, b[:n])); bad != nil {
				_ = w.Close() // as far as possible
				return bad
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			_ = w.Close() // as far as possible
			return err
		}
	}
	return closed(w)
}

// write writes b. When a block is full, the name node may not know yet that it is stored, and
// refuses the next one. write then asks again, as the Java client does.
func write(w io.Writer, b []byte) error {
	deadline := time.Now().Add(answerTimeout)
	for wait := 10 * time.Millisecond; ; wait *= 2 {
		n, err := w.Write(b)
		b = b[n:]
		if !tooEarly(err) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(wait)
	}
}

// tooEarly reports whether the name node refused a new block because it does not know yet that the
// last one is stored. When the library asks again, it does not name that block: the second error.
func tooEarly(err error) bool {
	var refused hdfs.Error
	return errors.As(err, &refused) && (strings.HasSuffix(refused.Exception(), ".NotReplicatedYetException") ||
		strings.Contains(refused.Message(), "Cannot allocate block"))
}

// closed closes a file, and returns once the name node reports enough replicas of each block.
func closed(w *hdfs.FileWriter) error {
	deadline := time.Now().Add(answerTimeout)
	for wait := 10 * time.Millisecond; ; wait *= 2 {
		if err := w.SetDeadline(deadline); err != nil {
			return err
		}
		err := w.Close()
		if !hdfs.IsErrReplicating(err) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(wait)
	}
}

// Receipt implements stores.Part.
func (p *part) Receipt() string { return strconv.FormatUint(p.id, 10) + " " + p.name }

// Abort implements stores.Part.
func (p *part) Abort() error {
	p.err = cmp.Or(p.err, error(&fs.PathError{Op: "write", Path: p.name, Err: fs.ErrClosed}))
	return errors.Join(p.drop(), p.store.RemoveAll(p.name))
}

// Complete implements stores.Store. If the part is missing, an earlier request may have renamed it
// and its answer was lost. Then the file called name has the part's ID.
func (s *store) Complete(name, receipt string) error {
	number, from, ok := strings.Cut(receipt, " ")
	id, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || !fs.ValidPath(from) {
		return &fs.PathError{Op: "complete", Path: name, Err: fmt.Errorf("%.80q is no receipt of a file", receipt)}
	}
	err = again(func() error { return s.client.Rename(at(from), at(name)) })
	if err != nil {
		if there, bad := s.stat(name); bad == nil && there.id == id {
			err = nil
		}
	}
	if err != nil {
		return failed("complete", name, err)
	}
	_ = s.client.Remove(at(path.Dir(from))) // removes the directory once it has no parts
	return nil
}

// AbandonAll implements stores.Store.
func (s *store) AbandonAll(dir string) error { return s.RemoveAll(path.Join(dir, temporary)) }

// CreateNew implements stores.Store.
func (s *store) CreateNew(name string, data []byte) error {
	if err := s.create(name, strings.NewReader(string(data))); err != nil {
		return failed("create", name, err)
	}
	return nil
}

// RemoveAll implements stores.Store.
func (s *store) RemoveAll(name string) error {
	err := again(func() error { return s.client.RemoveAll(at(name)) })
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err = failed("remove", name, err)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
