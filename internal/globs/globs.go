// Package globs expands paths and globs to files.
package globs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxAlternatives limits the number of globs without braces to which one glob may expand.
const maxAlternatives = 1000

// anyDepth is the element of a glob that matches any number of nested directories, also none.
const anyDepth = "**"

// PatternError is the error for a glob that is invalid or expands to too many globs.
type PatternError struct{ text string }

func (e *PatternError) Error() string { return e.text }

// Expand returns the files that arg names, at least one: a file, all files below a directory, or
// those that match a glob, sorted by name. It returns a pipe or device only for its exact name. An
// unreadable directory is an error, since it may contain a matching file.
func Expand(arg string) ([]string, error) {
	info, err := os.Stat(arg)
	return expand(arg, info, err, doublestar.ValidatePathPattern(arg), walk, glob)
}

// expand returns the result of Expand. info and err are Stat's results for arg; valid is whether it
// is a valid glob; below and matching list the files of a directory and of a glob.
func expand(arg string, info fs.FileInfo, err error, valid bool, below, matching func(string) ([]string, error)) ([]string, error) {
	var files []string
	switch {
	case err == nil && info.IsDir():
		files, err = below(arg)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s: directory without files (names that begin with _ or a dot do not count)", arg)
		}
		return files, err
	case err == nil:
		return []string{arg}, nil
	case !strings.ContainsAny(arg, `*?[{`):
		return nil, err
	case !valid:
		return nil, &PatternError{arg + ": not a valid glob"}
	}
	if files, err = matching(arg); err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no file matches", arg)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// walk lists the files below a directory in name order, without hidden files and directories. It
// does not follow symbolic links to directories, except for dir itself, and skips pipes and
// devices.
func walk(dir string) ([]string, error) {
	var files []string
	root := strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator) // follows a link
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == root:
			return nil
		case hidden(e.Name()):
			return passOver(e)
		case !e.IsDir() && toRead(path):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// hidden reports whether wildcards and directory arguments skip files and directories of this name.
func hidden(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") }

// passOver returns what an fs.WalkDirFunc must return to skip e and all below it.
func passOver(e fs.DirEntry) error {
	if e.IsDir() {
		return filepath.SkipDir
	}
	return nil
}

// toRead reports whether a path must be opened: a regular file, or a broken link, whose error must
// be reported.
func toRead(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// glob lists the regular files that match a glob, and those below matching directories. It reads
// each directory at most once per alternative of the braces, however many ** the pattern has.
func glob(pattern string) ([]string, error) {
	patterns := alternatives(nil, "", filepath.ToSlash(pattern))
	if len(patterns) > maxAlternatives {
		return nil, &PatternError{fmt.Sprintf("%s: its braces stand for more than %d globs", pattern, maxAlternatives)}
	}
	var files []string
	for _, p := range patterns {
		below, err := globAlternative(p)
		if err != nil {
			return nil, err
		}
		files = append(files, below...)
	}
	return files, nil
}

// alternatives appends to list the globs to which head followed by rest expands, none with braces.
// It stops once there are more than maxAlternatives.
func alternatives(list []string, head, rest string) []string {
	open, depth, class := -1, 0, false
	var cuts []int
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\' && filepath.Separator == '/':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			if depth++; depth == 1 {
				open = i
				cuts = append(cuts, i)
			}
		case c == ',' && depth == 1:
			cuts = append(cuts, i)
		case c == '}' && depth > 0:
			if depth--; depth > 0 {
				continue
			}
			cuts = append(cuts, i)
			for k, from := range cuts[:len(cuts)-1] {
				list = alternatives(list, head+rest[:open], rest[from+1:cuts[k+1]]+rest[i+1:])
				if len(list) > maxAlternatives {
					break
				}
			}
			return list
		}
	}
	return append(list, head+rest)
}

// globAlternative lists the regular files that a pattern without braces matches.
func globAlternative(pattern string) ([]string, error) {
	if pattern == "" {
		return nil, nil
	}
	names := strings.Split(pattern, "/")
	first := slices.Index(names, anyDepth)
	if first < 0 {
		return globFixedDepth(pattern)
	}
	deep := slices.CompactFunc(names[first:], func(a, b string) bool { return a == anyDepth && b == anyDepth })
	roots := []string{"."}
	if first > 0 {
		var err error
		above := strings.Join(names[:first], "/") + "/"
		if roots, err = doublestar.FilepathGlob(above, doublestar.WithFailOnIOErrors()); err != nil {
			return nil, err
		}
	}
	base, _ := doublestar.SplitPattern(pattern)
	var files []string
	for _, root := range roots {
		d := deepGlob{base: base, pattern: pattern, root: root, deep: strings.Join(deep, "/")}
		if hiddenBelow(base, root, pattern) {
			continue
		}
		if err := filepath.WalkDir(root, d.visit); err != nil {
			return nil, err
		}
		files = append(files, d.files...)
	}
	return files, nil
}

// globFixedDepth lists the regular files that a pattern without ** matches.
func globFixedDepth(pattern string) ([]string, error) {
	matches, err := doublestar.FilepathGlob(filepath.FromSlash(pattern), doublestar.WithFailOnIOErrors())
	if err != nil {
		return nil, err
	}
	base, _ := doublestar.SplitPattern(pattern)
	var files []string
	for _, match := range matches {
		if hiddenBelow(base, match, pattern) {
			continue
		}
		if info, err := os.Stat(match); err == nil && info.IsDir() {
			below, err := walk(match)
			if err != nil {
				return nil, err
			}
			files = append(files, below...)
		} else if err != nil || info.Mode().IsRegular() {
			files = append(files, match)
		}
	}
	return files, nil
}

// deepGlob walks the directories below root for a pattern with **. It does not follow symbolic
// links to directories, which may form cycles.
type deepGlob struct {
	base, pattern string // the pattern's elements before the first wildcard, and the whole pattern
	root, deep    string // a directory that the elements before the first ** match, and the pattern from ** on
	taken         string // the last directory that matched, with a trailing separator: files below it are listed too
	files         []string
}

// visit implements fs.WalkDirFunc.
func (d *deepGlob) visit(path string, e fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(d.root, path)
	if err != nil || rel == "." {
		return err
	}
	if hiddenBelow(d.base, path, d.pattern) {
		return passOver(e)
	}
	matches, err := doublestar.Match(d.deep, filepath.ToSlash(rel))
	if err != nil {
		return err
	}
	within := d.taken != "" && strings.HasPrefix(path, d.taken)
	switch {
	case !matches && within && hidden(e.Name()):
		return passOver(e)
	case !matches && !within:
		return nil
	case !e.IsDir():
		if toRead(path) {
			d.files = append(d.files, path)
		}
	case !within:
		d.taken = path + string(filepath.Separator)
	}
	return nil
}

// hiddenBelow reports whether a match of a glob is hidden: below base, the glob's fixed part, a
// name begins with _ or a dot, and no name of the glob begins so.
func hiddenBelow(base, match, glob string) bool {
	below := strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(match), base), "/")
	if base == "." {
		below = strings.TrimPrefix(filepath.ToSlash(match), "./")
	}
	for name := range strings.SplitSeq(below, "/") {
		if name != "." && hidden(name) && !spelled(glob, name[:1]) {
			return true
		}
	}
	return false
}

// spelled reports whether a name of the glob begins with start.
func spelled(glob, start string) bool {
	for name := range strings.SplitSeq(filepath.ToSlash(glob), "/") {
		if name != "." && name != ".." && strings.HasPrefix(name, start) {
			return true
		}
	}
	return false
}
