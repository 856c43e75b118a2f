//go:build linux || darwin || freebsd || netbsd

package dfs

import (
	"io/fs"
	"syscall"
	"time"
)

// system fills in what only the system's own call tells.
func (s *stamp) system(info fs.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.changed = time.Unix(changeTime(st).Unix())
		s.links = uint64(st.Nlink) //nolint:unconvert // its type depends on system and processor
		s.empty = st.Blocks == 0
	}
}
