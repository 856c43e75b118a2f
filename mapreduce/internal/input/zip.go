package input

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// zipFiles returns the sources of the files in a zip archive, for Files, sorted by name.
func zipFiles(archive string) ([]Source, error) {
	r, err := zip.OpenReader(archive)
	if errors.Is(err, zip.ErrFormat) {
		return nil, fmt.Errorf("%s: %w: %w", archive, fault.ErrCorruptInput, err)
	} else if err != nil {
		return nil, err
	}
	files := slices.Clone(r.File)
	slices.SortStableFunc(files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	var list []Source
	for _, f := range files {
		title := path.Join(archive, f.Name)
		if strings.HasSuffix(f.Name, "/") || slices.ContainsFunc(strings.Split(f.Name, "/"), hidden) {
			continue
		}
		if f.Flags&1 != 0 {
			return nil, fmt.Errorf("%s: is encrypted", title)
		}
		s, err := titledFile(r, f.Name, title)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", title, err)
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: %w: the archive has no files", archive, ErrNoSources)
	}
	return list, nil
}

// fileOrZip returns the source of a file, or those of the files in a zip archive.
func fileOrZip(name string) ([]Source, error) {
	if isZip(name) {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return zipFiles(name)
		}
	}
	s, err := File(name)
	return []Source{s}, err
}

// isZip reports whether a file name ends with .zip.
func isZip(name string) bool { return strings.EqualFold(path.Ext(name), ".zip") }

// hidden reports whether name begins with _ or a point; directories are read without such files.
func hidden(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") }
