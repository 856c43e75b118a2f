package globs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ExpandFS is like Expand, for files of fsys. Names are separated by slashes; they must not begin
// or end with one, and have no element "." or "..".
func ExpandFS(fsys fs.FS, arg string) ([]string, error) {
	if !fs.ValidPath(arg) {
		return nil, &PatternError{fmt.Sprintf("%q: names of an fs.FS have no / at their ends and no . or .. in them", arg)}
	}
	info, err := fs.Stat(fsys, arg)
	below := func(dir string) ([]string, error) { return globFS(fsys, dir, dir, "**") }
	matching := func(arg string) ([]string, error) {
		base, _ := doublestar.SplitPattern(arg)
		return globFS(fsys, base, arg, arg)
	}
	return expand(arg, info, err, doublestar.ValidatePattern(arg), below, matching)
}

// globFS lists the files below root that match a glob, and those below matching directories. It
// skips names that begin with _ or a dot, unless shown, the whole pattern, has that character.
func globFS(fsys fs.FS, root, shown, glob string) (files []string, err error) {
	depth := strings.Count(glob, "/")
	if strings.Contains(glob, anyDepth) || strings.Contains(glob, "{") {
		depth = -1
	}
	taken := "" // the last directory that matched, with a trailing slash: files below it are listed too
	err = fs.WalkDir(fsys, root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case path == root && errors.Is(err, fs.ErrNotExist):
			return fs.SkipAll
		case err != nil:
			return err
		case path == root && e.IsDir():
			return nil
		case hiddenBelow(root, path, shown):
			return passOver(e)
		}
		within := taken != "" && strings.HasPrefix(path, taken)
		matches := within || glob == anyDepth
		if !matches {
			if matches, err = doublestar.Match(glob, path); err != nil {
				return err
			}
		}
		switch {
		case e.IsDir() && matches && !within:
			taken = path + "/"
		case e.IsDir() && !matches && depth >= 0 && strings.Count(path, "/") >= depth:
			return fs.SkipDir
		case !e.IsDir() && matches && toReadFS(fsys, path, e):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// toReadFS reports whether a path of fsys must be opened: a regular file, or a broken link.
func toReadFS(fsys fs.FS, path string, e fs.DirEntry) bool {
	if e.Type().IsRegular() {
		return true
	}
	info, err := fs.Stat(fsys, path)
	return err != nil || info.Mode().IsRegular()
}
