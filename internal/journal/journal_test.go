package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// content returns the snapshot and the later records that Read returns, as strings.
func content(t *testing.T, j *Journal) (snapshot string, records []string) {
	t.Helper()
	s, list, err := j.Read()
	require.NoError(t, err)
	for _, r := range list {
		records = append(records, string(r))
	}
	return string(s), records
}

// made returns a new journal in dir with this snapshot and these records.
func made(t *testing.T, dir, snapshot string, records ...string) *Journal {
	t.Helper()
	j, err := Open(dir)
	require.NoError(t, err)
	require.NoError(t, j.Snapshot([]byte(snapshot)))
	for _, r := range records {
		require.NoError(t, j.Append([]byte(r)))
	}
	return j
}

// names lists a directory.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	j := made(t, dir, "none", "one", "", "three")
	require.Equal(t, []string{"lock", "log-00000001"}, names(t, dir))
	require.NoError(t, j.Close())
	require.Equal(t, []string{"log-00000001"}, names(t, dir))
	require.Error(t, j.Append([]byte("late")))

	j, err := Open(dir)
	require.NoError(t, err)
	require.NoError(t, j.Append([]byte("four")))
	s, records := content(t, j)
	require.Equal(t, "none", s)
	require.Equal(t, []string{"one", "", "three", "four"}, records)
	require.NoError(t, j.Snapshot([]byte("four of them")))
	require.Less(t, j.Size(), int64(100))
	require.NoError(t, j.Append([]byte("five")))
	require.NoError(t, j.Close())
	require.Equal(t, []string{"log-00000002"}, names(t, dir))

	j, err = Open(dir)
	require.NoError(t, err)
	defer j.Close()
	s, records = content(t, j)
	require.Equal(t, "four of them", s)
	require.Equal(t, []string{"five"}, records)
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	j := made(t, dir, "mine")
	_, err := Open(dir)
	require.ErrorIs(t, err, ErrLocked)
	require.EqualError(t, err, dir+": another process is using it")
	require.NoError(t, j.Close())
	j, err = Open(dir)
	require.NoError(t, err)
	require.NoError(t, j.Close())
}

// Open refuses a directory with a file that is not a journal's, and does not change it.
func TestStranger(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "letter.txt"), nil, 0o600))
	_, err := Open(dir)
	require.ErrorContains(t, err, "it holds letter.txt and no log")
	require.Equal(t, []string{"letter.txt"}, names(t, dir))
}

// Open keeps the complete records of a log that was cut at any byte, and Append works after them.
// It returns an error if the cut is in the snapshot.
func TestCutAnywhere(t *testing.T) {
	records := []string{"one", "twenty-two", "", "\xf5rec", "five"}
	whole, ends := bytesOf(t, records)
	for cut := range len(whole) + 1 {
		dir := t.TempDir()
		path := filepath.Join(dir, "log-00000001")
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		j, err := Open(dir)
		if cut < ends[0] {
			require.ErrorIs(t, err, ErrCorrupt, "cut at %d", cut)
			require.ErrorContains(t, err, path+": offset ")
			require.Equal(t, []string{"log-00000001"}, names(t, dir), "nothing is changed")
			continue
		}
		require.NoError(t, err, "cut at %d", cut)
		want := 0
		for want < len(records) && ends[want+1] <= cut {
			want++
		}
		require.NoError(t, j.Append([]byte("more")))
		require.NoError(t, j.Close())
		j, err = Open(dir)
		require.NoError(t, err)
		_, got := content(t, j)
		require.Equal(t, append(records[:want:want], "more"), got, "cut at %d", cut)
		require.NoError(t, j.Close())
	}
}

// A changed byte anywhere is an error, except in the last record: Open cuts that one off.
func TestFlipAnywhere(t *testing.T) {
	records := []string{"one", "twenty-two", "", "four", "five"}
	whole, ends := bytesOf(t, records)
	last := ends[len(ends)-2]
	for at := range whole {
		for _, flip := range []byte{1, 0x80, 0xff} {
			data := bytes.Clone(whole)
			data[at] ^= flip
			got, size, err := parse(data, 1)
			if at < last {
				require.Error(t, err, "byte %d", at)
				require.Regexp(t, `^offset \d+: .*corrupt: `, err.Error())
				continue
			}
			require.NoError(t, err, "byte %d", at)
			require.Len(t, got, len(records), "byte %d", at)
			require.Equal(t, last, size)
		}
	}
}

// bytesOf returns a log with these records, and the end offsets of the snapshot and each record.
func bytesOf(t *testing.T, records []string) (whole []byte, ends []int) {
	t.Helper()
	dir := t.TempDir()
	j := made(t, dir, "snapshot")
	ends = append(ends, int(j.Size()))
	for _, r := range records {
		require.NoError(t, j.Append([]byte(r)))
		ends = append(ends, int(j.Size()))
	}
	require.NoError(t, j.Close())
	whole, err := os.ReadFile(filepath.Join(dir, "log-00000001"))
	require.NoError(t, err)
	return whole, ends
}

// Open refuses a log of an older or newer format with an error of one line, and does not change it.
func TestOtherFormat(t *testing.T) {
	for _, v := range []uint32{1, 3} {
		dir := t.TempDir()
		path := filepath.Join(dir, "log-00000001")
		data := appendRecord(headerOf(v, 1), 0, []byte("snapshot"))
		require.NoError(t, os.WriteFile(path, data, 0o600))
		_, err := Open(dir)
		require.EqualError(t, err, fmt.Sprintf("%s: format %d, this program reads format 2: "+
			"go on with the version of tarry that wrote it, or use an empty directory", path, v))
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, data, kept)
	}
}

// A missing record and a renamed log are errors, even if each single record is valid.
func TestOrderOfRecords(t *testing.T) {
	whole, ends := bytesOf(t, []string{"aaa", "bbb", "ccc"})
	without := append(bytes.Clone(whole[:ends[0]]), whole[ends[1]:]...)
	_, _, err := parse(without, 1)
	require.ErrorContains(t, err, "record 2 where 1 is due")
	_, _, err = parse(whole, 2)
	require.ErrorContains(t, err, "it says that it is log 1")
}

// A process that dies between any two steps of a snapshot leaves the old content or the new one.
func TestCrashInSnapshot(t *testing.T) {
	crash := errors.New("crash")
	steps := []string{"made", "half written", "written", "synced", "renamed", "named on the disk", "removed"}
	for n, at := range steps {
		for _, fresh := range []bool{true, false} {
			if fresh && at == "removed" {
				continue // a first snapshot has no older log to remove
			}
			dir := t.TempDir()
			if !fresh {
				require.NoError(t, made(t, dir, "former", "record").Close())
			}
			var seen []string
			j, err := open(dir, func(name string) error {
				if seen = append(seen, name); name == at {
					return crash
				}
				return nil
			})
			require.NoError(t, err)
			require.ErrorIs(t, j.Snapshot([]byte("new")), crash)
			require.Equal(t, steps[:n+1], seen)
			require.NoError(t, j.lock.Close()) // the system does the same when a process dies
			if j.file != nil {
				require.NoError(t, j.file.Close())
			}

			j, err = Open(dir)
			require.NoError(t, err, at)
			s, records := content(t, j)
			switch {
			case n >= 4:
				require.Equal(t, "new", s, at)
				require.Empty(t, records)
			case fresh:
				require.Empty(t, s)
			default:
				require.Equal(t, "former", s, at)
				require.Equal(t, []string{"record"}, records)
			}
			require.NoError(t, j.Snapshot([]byte("next")))
			require.NoError(t, j.Close())
			require.Len(t, names(t, dir), 1, at)
		}
	}
}

// A crash before the removal of the old log leaves two logs. If the new one is damaged, Open
// returns an error: the old one lacks calls that were already answered.
func TestDamagedLast(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, made(t, dir, "one").Close())
	first := filepath.Join(dir, "log-00000001")
	data, err := os.ReadFile(first)
	require.NoError(t, err)
	second := appendRecord(header(2), 0, []byte("two"))
	second[len(second)-1] ^= 1
	require.NoError(t, os.WriteFile(filepath.Join(dir, "log-00000002"), second, 0o600))
	_, err = Open(dir)
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, "log-00000002: offset ")
	kept, err := os.ReadFile(first)
	require.NoError(t, err)
	require.Equal(t, data, kept)
}

// If goroutines append and sync at once, no record is lost, and each one's stay in order.
func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	j := made(t, dir, "many")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 50 {
				if err := errors.Join(j.Append(fmt.Appendf(nil, "%d %d", i, k)), j.Sync()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	_, records := content(t, j)
	require.Len(t, records, 400)
	next := map[int]int{}
	for _, r := range records {
		var who, k int
		_, err := fmt.Sscan(r, &who, &k)
		require.NoError(t, err)
		require.Equal(t, next[who], k)
		next[who]++
	}
	require.NoError(t, j.Close())
}

// After a failed write, nothing more is written, since it would follow an incomplete record.
func TestFailedWrite(t *testing.T) {
	dir := t.TempDir()
	j := made(t, dir, "snapshot", "one")
	require.NoError(t, j.file.Close())
	require.ErrorIs(t, j.Append([]byte("two")), os.ErrClosed)
	require.ErrorIs(t, j.Append([]byte("three")), os.ErrClosed)
	require.ErrorIs(t, j.Sync(), os.ErrClosed)
	require.Error(t, j.Close())
	j, err := Open(dir)
	require.NoError(t, err)
	_, records := content(t, j)
	require.Equal(t, []string{"one"}, records)
	require.NoError(t, j.Close())
}

// The records that parse finds in any bytes encode to exactly the valid part of them.
func FuzzParse(f *testing.F) {
	whole := appendRecord(appendRecord(header(1), 0, []byte("snapshot")), 1, []byte("record"))
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(whole[:headerSize])
	f.Add(append(bytes.Clone(whole), mark...))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, size, err := parse(data, 1)
		if err != nil {
			return
		}
		again := header(1)
		for i, r := range records {
			again = appendRecord(again, uint32(i), r)
		}
		if !bytes.Equal(again, data[:size]) {
			t.Fatalf("%d records of %d bytes are not what was read", len(records), size)
		}
		if valid(data[size:]) {
			t.Fatal("a valid record was cut off")
		}
	})
}
