package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// Journal is an open directory. Its methods are safe for concurrent use.
type Journal struct {
	dir  string
	lock *os.File
	step func(string) error // in tests: between two steps; its error is a crash there

	syncing sync.Mutex // taken before mu
	synced  int64      // of written

	mu      sync.Mutex
	file    *os.File // nil before the first snapshot
	number  uint32   // of file
	next    uint32   // number of the next record
	written int64    // records, in all
	size    int64    // bytes of file
	buf     []byte   // scratch
	err     error    // the first of Append: nothing is written after it
}

// lockName is the file in the directory that is locked as long as a process has it.
const lockName = "lock"

var logName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^log-(\d{8})(\.new)?$`) })

func nameOf(number uint32) string { return fmt.Sprintf("log-%08d", number) }

// Open opens, or makes, a directory and locks it: the error of one that another process has wraps
// ErrLocked. A directory without a log needs a Snapshot first; it must hold nothing else.
func Open(dir string) (*Journal, error) { return open(dir, func(string) error { return nil }) }

func open(dir string, step func(string) error) (_ *Journal, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	lock, err := lockIn(dir)
	if err != nil {
		return nil, err
	}
	j := &Journal{dir: dir, lock: lock, step: step}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.unlock())
		}
	}()
	numbers, err := j.tidy()
	if err != nil || len(numbers) == 0 {
		return j, err
	}
	j.number = slices.Max(numbers)
	if err := j.openLast(); err != nil {
		return nil, err
	}
	for _, n := range numbers { // the snapshot of the last is whole
		if n != j.number {
			if err := os.Remove(j.path(n)); err != nil {
				return nil, err
			}
		}
	}
	return j, nil
}

// tidy removes what is not complete, and lists the numbers of the logs.
func (j *Journal) tidy() (numbers []uint32, err error) {
	list, err := os.ReadDir(j.dir)
	if err != nil {
		return nil, err
	}
	stranger := ""
	for _, e := range list {
		m := logName().FindStringSubmatch(e.Name())
		switch {
		case m == nil:
			if e.Name() != lockName {
				stranger = e.Name()
			}
		case m[2] != "":
			if err := os.Remove(filepath.Join(j.dir, e.Name())); err != nil {
				return nil, err
			}
		default:
			n, err := strconv.ParseUint(m[1], 10, 32)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, uint32(n))
		}
	}
	if len(numbers) == 0 && stranger != "" {
		return nil, fmt.Errorf("%s: it holds %s and no log: %w", j.dir, stranger, fs.ErrExist)
	}
	return numbers, nil
}

// openLast opens the last log to go on behind its last record.
func (j *Journal) openLast() error {
	path := j.path(j.number)
	records, whole, err := read(path, j.number)
	if err != nil {
		return err
	}
	f, err := openAt(path, int64(whole))
	if err != nil {
		return err
	}
	j.file, j.next, j.size = f, uint32(len(records)), int64(whole)
	return nil
}

// read reads a log; errors name it.
func read(path string, number uint32) (records [][]byte, whole int, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	records, whole, err = parse(data, number)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return records, whole, err
}

func (j *Journal) path(number uint32) string { return filepath.Join(j.dir, nameOf(number)) }

// Read reads the last snapshot and the records since; both are nil where there is no snapshot.
func (j *Journal) Read() (snapshot []byte, records [][]byte, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil, nil, nil
	}
	list, _, err := read(j.path(j.number), j.number)
	if err != nil {
		return nil, nil, err
	}
	return list[0], list[1:], nil
}

// Append writes a record behind the others. It outlives this process from then on, and the
// machine's after a Sync. After an error nothing is written any more, and the error stays.
func (j *Journal) Append(record []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	if j.file == nil || len(record) > mostPayload {
		return fmt.Errorf("%s: no record of %d bytes can be written", j.dir, len(record))
	}
	j.buf = appendRecord(j.buf[:0], j.next, record)
	n, err := j.file.Write(j.buf)
	j.size += int64(n)
	if err != nil {
		j.err = err
		return err
	}
	j.next++
	j.written++
	return nil
}

// Sync forces to the disk what was appended before. Of several calls at once one does so for all.
func (j *Journal) Sync() error {
	j.mu.Lock()
	want := j.written
	j.mu.Unlock()
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if j.synced >= want {
		return nil
	}
	j.mu.Lock()
	upTo, file, err := j.written, j.file, j.err
	j.mu.Unlock()
	if err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.err = err
		return err
	}
	j.synced = upTo
	return nil
}

// Unsynced is how many records the machine would lose if it stopped now.
func (j *Journal) Unsynced() int64 {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.written - j.synced
}

// Size is how many bytes the snapshot and the records since take.
func (j *Journal) Size() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size
}

// Close gives the directory to others. What was appended is synced.
func (j *Journal) Close() error {
	err := j.Sync()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file != nil {
		err = errors.Join(err, j.file.Close())
	}
	j.err = fs.ErrClosed
	return errors.Join(err, j.unlock())
}
