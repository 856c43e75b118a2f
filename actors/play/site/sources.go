package site

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// SourcesName is the file beside the module that says what it was built of: a digest, then a line each
// for the directories of the clone whose files it is of.
const SourcesName = "sources.txt"

// Root is the clone of this program's source above a directory; false if there is none.
func Root(from string) (string, bool) {
	for dir := from; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module "+ModulePath+"\n") {
			return dir, true
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

// Stale tells whether a module was built of other sources than those in a clone. One that does not say
// what it was built of is not.
func Stale(module fs.FS, root string) (bool, error) {
	text, err := fs.ReadFile(module, SourcesName)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	lines.Scan()
	was := lines.Text()
	var dirs []string
	for lines.Scan() {
		dirs = append(dirs, lines.Text())
	}
	is, err := digest(root, dirs)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // a package has moved
	}
	return is != was, err
}

// Sources is what SourcesName holds for a module of these directories.
func Sources(root string, dirs []string) (string, error) {
	sum, err := digest(root, dirs)
	return sum + "\n" + strings.Join(dirs, "\n") + "\n", err
}

// digest is that of all files in the directories that may become part of a program.
func digest(root string, dirs []string) (string, error) {
	all := sha256.New()
	for _, dir := range dirs {
		list, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil {
			return "", err
		}
		for _, f := range list {
			if !f.Type().IsRegular() || strings.HasSuffix(f.Name(), "_test.go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(dir), f.Name()))
			if err != nil {
				return "", err
			}
			fmt.Fprintf(all, "%s/%s %d\n", dir, f.Name(), len(text)) // a hash takes everything
			_, _ = all.Write(text)
		}
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}
