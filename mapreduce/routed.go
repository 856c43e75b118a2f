package mapreduce

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Routed is out with several files a task: each record goes to the file that route names, such as
// errors-r-00003 for "errors" in reduce 3 (Hadoop's MultipleOutputs), and to the usual part if it
// names none (""). A task's files are committed together. out goes to a directory: Dir, ReplacedDir,
// InFS or InDFS. route runs in many attempts at once.
//
// A name is 1 to 100 bytes of UTF-8, without slash, backslash or control characters; "part", what
// begins with "part-", and what begins with "_" or "." are the engine's. Any other is an error that
// is marked by [Bad]. Files("DIR/errors-*") reads back what went there. An attempt holds at most 64 files
// open: it closes the one written to longest ago and writes on later, in a local directory or an
// [AppendFS]. To InFS without that, and to a store, a 65th name is an error; to InDFS, whose files lie in memory open or
// not, all stay open.
func Routed[O any](out Output[O], route func(rec O) string) Output[O] {
	check := out.checkType
	out.route, out.plain, out.layout = route, false, nil
	out.checkType = func() error {
		switch out.dest.store.(type) {
		case *localStore, *dirStore, *remoteStore:
		default:
			return fmt.Errorf("Routed to %s: it takes a directory, such as Dir", out.dest.store.name())
		}
		if route == nil {
			return errors.New("Routed without a function")
		}
		if out.own {
			return errors.New("Routed of Parts: an attempt has one part, whose writer may divide it")
		}
		if check != nil {
			return check()
		}
		return nil
	}
	return out
}

// checkRoute returns what is wrong with the name of a file of records.
func checkRoute(name string) error {
	switch {
	case len(name) > 100:
		return fmt.Errorf("Routed: the name %s has %d bytes, at most 100 are allowed", quoted(cutHead(name), len(name)), len(name))
	case strings.ContainsFunc(name, func(r rune) bool {
		return r == '/' || r == '\\' || r == unicode.ReplacementChar || unicode.IsControl(r)
	}):
		return fmt.Errorf("Routed: the name %q has a slash, a control character or is not UTF-8", name)
	case name == "part" || strings.HasPrefix(name, "part-") || name[0] == '_' || name[0] == '.':
		return fmt.Errorf(`Routed: the name %q is the engine's, as "part", "part-…", "_…" and ".…" are`, name)
	}
	return nil
}

const (
	mostOpen   = 64       // files of names that an attempt has open
	routeFlush = 16 << 10 // how full the buffer of one gets before it is written, in bytes
)

// router writes the records of an attempt to the files of their names.
type router[O any] struct {
	*routes
	route  func(O) string
	encode func(dst []byte, rec O) ([]byte, error)
}

// routes are the files of names of an attempt, and its records on their way there: all of a router that
// does not depend on what a record is, so that a program has it once.
type routes struct {
	usual  *partWriter
	budget *Memory
	head   []byte
	to     *committer
	id     AttemptID
	files  map[string]*routedFile
	open   []*routedFile // those that are, used last at the end
	buf    []byte        // records that may be taken back
	held   []routedRecord
	closed bool
}

// routedFile is a file of a name.
type routedFile struct {
	part
	*partWriter // nil: closed, maybe to be opened again
}

// routedRecord is a record in the buffer of a router: where it ends, and where it goes.
type routedRecord struct {
	end  int
	name string
}

// write encodes a record, which stays until settle.
func (r *router[O]) write(o O) error {
	name, err := r.named(r.route(o))
	if err != nil {
		return err
	}
	r.buf, err = r.encode(r.buf, o)
	r.held = append(r.held, routedRecord{len(r.buf), name})
	return err
}

// named is a name that a program gave, to be kept.
func (r *routes) named(name string) (string, error) {
	if name == "" || r.files[name] != nil {
		return name, nil
	}
	return strings.Clone(name), Bad(checkRoute(name))
}

// settle writes the records in the buffer to their files.
func (r *routes) settle() error {
	at := 0
	for _, rec := range r.held {
		part, most := r.usual, flushSize
		if rec.name != "" {
			f, err := r.file(rec.name)
			if err != nil {
				return err
			}
			part, most = f.partWriter, routeFlush
		}
		if part.buf = append(part.buf, r.buf[at:rec.end]...); len(part.buf) >= most {
			part.flush()
		}
		if part.err != nil {
			return part.err
		}
		at = rec.end
	}
	r.drop()
	return nil
}

// drop takes back the records in the buffer.
func (r *routes) drop() { r.buf, r.held = r.buf[:0], r.held[:0] }

// file returns the open file of a name.
func (r *routes) file(name string) (f *routedFile, err error) {
	f = r.files[name]
	if f != nil && f.partWriter != nil {
		if i := slices.Index(r.open, f); i < len(r.open)-1 {
			r.open = append(slices.Delete(r.open, i, i+1), f)
		}
		return f, nil
	}
	extend, unbounded := r.to.extends()
	if !unbounded && len(r.open) >= mostOpen {
		if extend == nil {
			return nil, Permanent(fmt.Errorf("Routed: more than %d names in one attempt, and files in %s cannot be written on "+
				"once they are closed: see AppendFS", mostOpen, r.to.store.name()))
		}
		if err := r.shut(r.open[0]); err != nil {
			return nil, err
		}
		r.open = slices.Delete(r.open, 0, 1)
	}
	var w io.WriteCloser
	if f == nil {
		f = &routedFile{part: r.to.routed(r.id, name)}
		w, err = r.to.create(f.part)
	} else {
		w, err = extend(f.part)
		w, err = r.to.metered(f.part, w, err)
	}
	if err != nil {
		return nil, err
	}
	if f.partWriter, err = r.to.writer(w); err != nil {
		return nil, err
	}
	f.check = r.usual.check
	if r.files[name] == nil {
		f.buf = append(f.buf, r.head...)
		r.files[name] = f
	}
	r.budget.Acquire(2*routeFlush + r.to.compression.memory())
	r.open = append(r.open, f)
	return f, nil
}

// shut closes a file, which may be opened again.
func (r *routes) shut(f *routedFile) error {
	err := f.close()
	r.usual.bytes += f.bytes
	f.partWriter = nil
	r.budget.Release(2*routeFlush + r.to.compression.memory())
	return err
}

// close writes what is left, unless the attempt has failed, and closes all files. It may be called again.
func (r *routes) close(failed error) (err error) {
	if r.closed {
		return nil
	}
	r.closed = true
	if failed == nil {
		err = r.settle()
	}
	for _, f := range r.open {
		err = cmp.Or(err, r.shut(f))
	}
	r.open = nil
	return err
}

// routed is the part of an attempt that goes to the file of a name, and notes that there is one.
func (c *committer) routed(id AttemptID, name string) part {
	usual := c.part(id)
	p := part{
		attempt: usual.attempt + "~" + name, index: id.Index,
		name: name + strings.TrimPrefix(usual.name, "part"),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.routes == nil {
		c.routes = map[AttemptID][]part{}
	}
	c.routes[id] = append(c.routes[id], p)
	return p
}

// commitRoutes commits the files of names of an attempt, before its usual part: where that is, all
// are. If some are and another cannot be, nothing of the job can be right.
func (c *committer) commitRoutes(id AttemptID) error {
	for i, p := range c.routes[id] {
		if err := c.keep(p); err != nil {
			if i > 0 {
				err = Permanent(err)
			}
			return err
		}
	}
	delete(c.routes, id)
	return nil
}

// discardRoutes removes the files of names of an attempt.
func (c *committer) discardRoutes(id AttemptID) (err error) {
	c.mu.Lock()
	parts := c.routes[id]
	delete(c.routes, id)
	c.mu.Unlock()
	for _, p := range parts {
		err = errors.Join(err, c.discard(p))
	}
	return err
}

// extends returns what opens the file of an attempt to write after what is in it, nil if nothing can.
// unbounded says that files may as well stay open.
func (c *committer) extends() (extend func(part) (io.WriteCloser, error), unbounded bool) {
	switch s := c.store.(type) {
	case *localStore:
		return s.extend, false
	case *dirStore:
		if _, unbounded = s.fs.(blockFS); unbounded {
			return nil, true
		}
		if fsys, ok := s.fs.(AppendFS); ok {
			return func(p part) (io.WriteCloser, error) {
				if s.ended.Load() {
					return nil, errEnded
				}
				return fsys.Append(s.place(p))
			}, false
		}
	}
	return nil, false
}

func (s *localStore) extend(p part) (io.WriteCloser, error) {
	f, err := s.temp.OpenFile(p.attempt, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil || s.token == "" {
		return f, err
	}
	return syncedFile{f}, nil
}

var routedName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^_.].*-[mr]-\d{5,}(\.\w+){0,2}$`)
})

// dropRouted removes the files of names of tasks that are not committed: whoever was killed between
// their renames has left them.
func (s *localStore) dropRouted(committed []taskID) error {
	list, _, err := s.out.entries()
	for _, e := range list {
		if !routedName().MatchString(e.Name()) || partName().MatchString(e.Name()) {
			continue
		}
		kept := slices.ContainsFunc(committed, func(t taskID) bool {
			task := fmt.Sprintf("-%c-%05d", t.kind.String()[0], t.index)
			return strings.HasSuffix(e.Name(), task) || strings.Contains(e.Name(), task+".")
		})
		if !kept {
			err = errors.Join(err, s.out.root.Remove(e.Name()))
		}
	}
	return err
}
