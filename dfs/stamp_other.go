//go:build !linux && !darwin && !freebsd && !netbsd

package dfs

import "io/fs"

func (*stamp) system(fs.FileInfo) {}
