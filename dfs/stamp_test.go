package dfs

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A file written just now is read only once each later write would change its stamp. A second
// reader does not wait.
func TestReadersWaitUntilWritesShow(t *testing.T) {
	for _, size := range []int{10, smallFile + 10} {
		for name, read := range map[string]func(*LocalFile) error{
			"ReadAt": func(l *LocalFile) error { _, err := l.ReadAt(make([]byte, 1), 0); return err },
			"View":   func(l *LocalFile) error { _, _, err := l.View(0, 1); return err },
		} {
			l, _ := localFile(t, noise(1, size))
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Nanosecond) // the test's clock begins at a whole second
				began := time.Now()
				l.stamp.changed = began // not the file's time, so reading must fail
				require.ErrorIs(t, read(l), ErrChanged)
				require.Equal(t, l.stamp.settles(began), time.Since(began), name)
				require.GreaterOrEqual(t, time.Since(began), tick)
				began = time.Now()
				l.stamp.changed = began
				require.ErrorIs(t, read(l), ErrChanged)
				require.Zero(t, time.Since(began))
			})
		}
	}
}

// If the inode's time differs, the file was written to, unless its number of links changed. If the
// inode differs, the file was replaced, whatever its times.
func TestWhatHasBecomeOfAFile(t *testing.T) {
	then := time.Unix(1000, 0)
	old := stamp{file: identity{1, 2}, size: 10, modified: then, changed: then, links: 1}
	for says, change := range map[string]func(*stamp){
		"was replaced;":            func(s *stamp) { s.file.inode++ },
		"shrank from 10 to 9":      func(s *stamp) { s.size-- },
		"grew from 10 to 11":       func(s *stamp) { s.size++ },
		"replaced or written to":   func(s *stamp) { s.modified = then.Add(1) },
		"its attributes":           func(s *stamp) { s.changed = then.Add(1) },
		"was replaced or written ": func(s *stamp) { s.modified, s.changed, s.links = then.Add(1), then.Add(1), 2 },
	} {
		now := old
		change(&now)
		err := old.same("x", now)
		require.ErrorIs(t, err, ErrChanged)
		require.ErrorContains(t, err, says)
	}
	for _, same := range []stamp{
		old,
		{file: old.file, size: 10, modified: then, changed: then.Add(1), links: 2},
		{file: old.file, size: 10, modified: then, changed: then.Add(1), links: 0},
		{file: old.file, size: 10, modified: then.UTC(), changed: then.UTC(), links: 1},
	} {
		require.NoError(t, old.same("x", same))
	}
}
