//go:build linux || darwin || freebsd || netbsd

package dfs

import (
	"io/fs"
	"syscall"
	"time"
)

// system sets the fields of s that fs.FileInfo has only in its system-specific part, Sys.
func (s *stamp) system(info fs.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.changed = time.Unix(changeTime(st).Unix())
		s.file = identity{uint64(st.Dev), uint64(st.Ino)} //nolint:gosec,unconvert // as their types are elsewhere
		s.links = uint64(st.Nlink)                        //nolint:unconvert // its type depends on system and processor
		s.empty = st.Blocks == 0
	}
}

// identity identifies a file among all existing ones by two numbers. An [fs.FileInfo] would be
// larger than all else that is stored for a small file.
type identity struct{ device, inode uint64 }

func (i identity) same(other identity) bool { return i == other }
