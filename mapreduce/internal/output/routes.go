package output

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// CheckRoute returns an error if no file of routed records may have this name.
func CheckRoute(name string) error {
	switch {
	case len(name) > 100:
		return fmt.Errorf("mapreduce.Routed: the name %s has %d bytes, at most 100 are allowed", fault.QuotedText(name), len(name))
	case strings.ContainsFunc(name, func(r rune) bool {
		return r == '/' || r == '\\' || r == unicode.ReplacementChar || unicode.IsControl(r)
	}):
		return fmt.Errorf("mapreduce.Routed: the name %q has a slash, a control character or is not UTF-8", name)
	case name == "part" || strings.HasPrefix(name, "part-") || name[0] == '_' || name[0] == '.':
		return fmt.Errorf(`mapreduce.Routed: the name %q is the engine's, as "part", "part-…", "_…" and ".…" are`, name)
	}
	return nil
}

const (
	maxOpen    = 64       // maximum number of open routed files per attempt
	routeFlush = 16 << 10 // fill level in bytes at which the buffer of such a file is written
)

// Routes writes an attempt's files for names that the user's code gives to records, and its normal
// part. It buffers records that may still be dropped. It does not depend on the record type, so
// that a program contains its code once.
type Routes struct {
	usual       *PartWriter
	budget      *memory.Budget
	head        []byte
	To          *Committer
	ID          attempt.ID
	files       map[string]*routedFile
	open        []*routedFile // the open ones, the last used at the end
	Buf         []byte        // records that may still be dropped
	heldRecords []routedRecord
	closed      bool
}

// NewRoutes returns the Routes of an attempt. usual is the writer of its normal part; each other
// file starts with head.
func NewRoutes(to *Committer, id attempt.ID, usual *PartWriter, head []byte, budget *memory.Budget) *Routes {
	return &Routes{usual: usual, budget: budget, head: head, To: to, ID: id, files: map[string]*routedFile{}}
}

// routedFile is an attempt's file for the records with one name.
type routedFile struct {
	Part
	*PartWriter // nil while closed
}

// routedRecord is a record in Routes.Buf: where it ends, and the name of its file.
type routedRecord struct {
	end  int
	name string
}

// Named checks a name from user code, and returns a copy to keep unless a file has it already.
func (r *Routes) Named(name string) (string, error) {
	if name == "" || r.files[name] != nil {
		return name, nil
	}
	return strings.Clone(name), fault.Bad(CheckRoute(name))
}

// Hold says that the record appended to Buf last is for the file called name; "": the normal part.
func (r *Routes) Hold(name string) {
	r.heldRecords = append(r.heldRecords, routedRecord{len(r.Buf), name})
}

// Settle writes the records in Buf to their files: their record of input was mapped without error.
func (r *Routes) Settle() error {
	at := 0
	for _, rec := range r.heldRecords {
		part, most := r.usual, FlushSize
		if rec.name != "" {
			f, err := r.file(rec.name)
			if err != nil {
				return err
			}
			part, most = f.PartWriter, routeFlush
		}
		if part.Buf = append(part.Buf, r.Buf[at:rec.end]...); len(part.Buf) >= most {
			part.Flush()
		}
		if part.Err != nil {
			return part.Err
		}
		at = rec.end
	}
	r.Drop()
	return nil
}

// Drop discards the records in Buf: their record of input is skipped.
func (r *Routes) Drop() { r.Buf, r.heldRecords = r.Buf[:0], r.heldRecords[:0] }

// file returns the open file for a name. It may close the least recently used one for that.
func (r *Routes) file(name string) (f *routedFile, err error) {
	f = r.files[name]
	if f != nil && f.PartWriter != nil {
		if i := slices.Index(r.open, f); i < len(r.open)-1 {
			r.open = append(slices.Delete(r.open, i, i+1), f)
		}
		return f, nil
	}
	if len(r.open) >= maxOpen && !r.To.keepsOpen() {
		if r.To.local == nil {
			return nil, fault.Permanent(fmt.Errorf("mapreduce.Routed: more than %d names in one attempt, and files in %s cannot be written on "+
				"once they are closed", maxOpen, r.To.store.Name()))
		}
		if err := r.shut(r.open[0]); err != nil {
			return nil, err
		}
		r.open = slices.Delete(r.open, 0, 1)
	}
	create := r.To.store.Create
	if f == nil {
		f = &routedFile{Part: r.To.routed(r.ID, name)}
	} else {
		create = r.To.local.reopen
	}
	if f.PartWriter, err = r.To.writer(f.Part, create); err != nil {
		return nil, err
	}
	f.Check = r.usual.Check
	if r.files[name] == nil {
		f.Buf = append(f.Buf, r.head...)
		r.files[name] = f
	}
	r.budget.Acquire(2*routeFlush + r.To.compression.memory())
	r.open = append(r.open, f)
	return f, nil
}

// shut closes a file, so that fewer are open; file can reopen it.
func (r *Routes) shut(f *routedFile) error {
	err := f.Close()
	r.usual.Bytes += f.Bytes
	f.PartWriter = nil
	r.budget.Release(2*routeFlush + r.To.compression.memory())
	return err
}

// Close writes buffered records, unless the attempt has failed, and closes all files. Repeated
// calls do nothing.
func (r *Routes) Close(failed error) (err error) {
	if r.closed {
		return nil
	}
	r.closed = true
	if failed == nil {
		err = r.Settle()
	}
	for _, f := range r.open {
		err = cmp.Or(err, r.shut(f))
	}
	r.open = nil
	return err
}

// routed returns the Part of an attempt's file for a name, which commitRoutes will commit.
func (c *Committer) routed(id attempt.ID, name string) Part {
	p := Part{Attempt: id.String() + "~" + name, Index: id.Index, name: c.fileName(name, taskID{id.Kind, id.Index})}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.routes == nil {
		c.routes = map[attempt.ID][]Part{}
	}
	c.routes[id] = append(c.routes[id], p)
	return p
}

// commitRoutes commits an attempt's files for names. It precedes the commit of the normal part, so
// all exist if that exists. If only some can be committed, the job fails permanently.
func (c *Committer) commitRoutes(id attempt.ID) error {
	for i, p := range c.routes[id] {
		if err := c.keep(p); err != nil {
			if i > 0 {
				err = fault.Permanent(err)
			}
			return err
		}
	}
	delete(c.routes, id)
	return nil
}

// discardRoutes removes an attempt's files for names, if it was not committed.
func (c *Committer) discardRoutes(id attempt.ID) (err error) {
	c.mu.Lock()
	parts := c.routes[id]
	delete(c.routes, id)
	c.mu.Unlock()
	for _, p := range parts {
		err = errors.Join(err, c.discard(p))
	}
	return err
}

// keepsOpen reports whether any number of an attempt's files may be open.
func (c *Committer) keepsOpen() bool {
	if c.dir == nil {
		return false
	}
	_, ok := c.dir.fs.(blockStore) // they are in memory
	return ok
}
