// Package globs finds the files that a path or a glob stands for.
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

// mostAlternatives is how many globs the braces of one may stand for.
const mostAlternatives = 1000

// anyDepth is the part of a glob that stands for directories, any number below each other.
const anyDepth = "**"

// PatternError says why a glob is none.
type PatternError struct{ text string }

func (e *PatternError) Error() string { return e.text }

// Expand gives the files that an argument stands for: a file, all files below a directory in order
// of name, or those that match a glob, sorted; at least one. Pipes and devices are taken only by
// their own name. What cannot be read is an error: it may hold a file that matches.
func Expand(arg string) ([]string, error) {
	info, err := os.Stat(arg)
	return expand(arg, info, err, doublestar.ValidatePathPattern(arg), walk, glob)
}

// expand does so where info and err are what is there under the very name; valid says whether arg is a
// glob.
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

// walk lists the files below a directory in order of name, without hidden files and directories.
// Symbolic links to directories are not followed, except for dir itself; pipes and devices are
// passed over.
func walk(dir string) ([]string, error) {
	var files []string
	root := strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator) // follow a link
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

// hidden reports whether wildcards and directories pass over the name.
func hidden(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") }

// passOver is what a fs.WalkDirFunc returns for what is hidden.
func passOver(e fs.DirEntry) error {
	if e.IsDir() {
		return filepath.SkipDir
	}
	return nil
}

// toRead reports whether a path is to be opened: a regular file, or a broken link, which is then an
// error.
func toRead(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// glob lists the regular files that a glob stands for: those that match it, and all below the
// directories that do. Each directory is read once for each alternative of the braces, however
// many ** there are.
func glob(pattern string) ([]string, error) {
	patterns := alternatives(nil, "", filepath.ToSlash(pattern))
	if len(patterns) > mostAlternatives {
		return nil, &PatternError{fmt.Sprintf("%s: its braces stand for more than %d globs", pattern, mostAlternatives)}
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

// alternatives appends to list the globs without braces that head and rest stand for, and stops
// when they are too many.
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
				if len(list) > mostAlternatives {
					break
				}
			}
			return list
		}
	}
	return append(list, head+rest)
}

// globAlternative is glob for a pattern without braces.
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

// globFixedDepth is glob for a pattern with as many names as its matches.
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

// deepGlob walks the directories below root for a pattern with **, which does not follow symbolic
// links to directories: they may lead back.
type deepGlob struct {
	base, pattern string // the pattern and its fixed part
	root, deep    string // what matched up to the first **, and the pattern from there on
	taken         string // the directory that matched, with a separator behind it
	files         []string
}

// visit is a fs.WalkDirFunc.
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

// hiddenBelow reports whether a match of a glob is hidden: one of its names below the glob's fixed
// part is, and no name of the glob spells that start out.
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
