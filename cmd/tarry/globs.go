package main

import (
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

// glob lists the regular files that a glob stands for: those that match it, and all below the
// directories that do. Each directory is read once for each alternative of the braces, however
// many ** there are. What cannot be read is an error: it may hold a file that matches.
func glob(pattern string) ([]string, error) {
	patterns := alternatives(nil, "", filepath.ToSlash(pattern))
	if len(patterns) > mostAlternatives {
		return nil, usageError("%s: its braces stand for more than %d globs", pattern, mostAlternatives)
	}
	var files []string
	for _, p := range patterns {
		below, err := globAlternative(p)
		if err != nil {
			return nil, plainPathError(pattern, err)
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
				if list = alternatives(list, head+rest[:open], rest[from+1:cuts[k+1]]+rest[i+1:]); len(list) > mostAlternatives {
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
		if roots, err = doublestar.FilepathGlob(strings.Join(names[:first], "/")+"/", doublestar.WithFailOnIOErrors()); err != nil {
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
		switch info, err := os.Stat(match); {
		case err == nil && info.IsDir():
			below, err := walk(match)
			if err != nil {
				return nil, err
			}
			files = append(files, below...)
		case err != nil || info.Mode().IsRegular():
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
		return d.pass(e)
	}
	matches, err := doublestar.Match(d.deep, filepath.ToSlash(rel))
	if err != nil {
		return err
	}
	within := d.taken != "" && strings.HasPrefix(path, d.taken)
	switch {
	case !matches && within && hidden(e.Name()):
		return d.pass(e)
	case !matches && !within:
		return nil
	case !e.IsDir():
		if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() { // a broken link is an error when it is opened
			d.files = append(d.files, path)
		}
	case !within:
		d.taken = path + string(filepath.Separator)
	}
	return nil
}

// pass passes over what is hidden.
func (*deepGlob) pass(e fs.DirEntry) error {
	if e.IsDir() {
		return filepath.SkipDir
	}
	return nil
}

// hiddenBelow reports whether a match of a glob is hidden: one of its names below the glob's fixed part is, and no
// name of the glob spells that start out.
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
