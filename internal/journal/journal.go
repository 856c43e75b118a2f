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

// Journal is an open journal directory. Its methods are safe for concurrent use.
type Journal struct {
	dir  string
	lock *os.File
	step func(string) error // called between two steps; tests return an error to simulate a crash

	syncing sync.Mutex // acquired before mu
	synced  int64      // how many of the written records a Sync has forced to disk

	mu      sync.Mutex
	file    *os.File // nil before the first snapshot
	number  uint32   // of file
	next    uint32   // number of the next record
	written int64    // number of records in total
	size    int64    // size of file in bytes
	buf     []byte   // scratch
	err     error    // the first error of a write or sync: nothing is written after it
}

// lockName is the file that is locked while a process has the directory open.
const lockName = "lock"

var logName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^log-(\d{8})(\.new)?$`) })

func nameOf(number uint32) string { return fmt.Sprintf("log-%08d", number) }

// Open opens or creates a directory and locks it; if another process has it open, the error wraps
// ErrLocked. A directory without a log must be empty and needs a Snapshot first.
func Open(dir string) (*Journal, error) { return open(dir, func(string) error { return nil }) }

// open is Open with a hook for tests: it calls step after each step of a Snapshot. If step returns
// an error, the snapshot stops there, as in a crash.
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
	for _, n := range numbers { // the last log's snapshot is complete
		if n != j.number {
			if err := os.Remove(j.path(n)); err != nil {
				return nil, err
			}
		}
	}
	return j, nil
}

// tidy removes files that a killed process left incomplete, and returns the numbers of the logs.
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

// openLast opens the last log, cuts off an incomplete last record, and prepares to append after it.
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

// Read returns the last snapshot and the records appended since; both are nil without a snapshot.
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

// Append appends a record. The record survives a kill of this process at once, and a crash of the
// machine after the next Sync. After an error nothing more is written, and each call returns it.
func (j *Journal) Append(record []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	if j.file == nil || len(record) > maxPayload {
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

// Sync forces all appended records to disk. Concurrent calls share one sync.
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

// Unsynced returns how many appended records a crash of the machine would lose now.
func (j *Journal) Unsynced() int64 {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.written - j.synced
}

// Size returns the size of the current file in bytes: the snapshot and the records since.
func (j *Journal) Size() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size
}

// Close syncs the appended records, unlocks the directory and returns the errors of both.
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
