package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
)

// digestResult returns a digest of a program's part files, or of its output if it writes none.
func digestResult(p Program, stdout *os.File) (string, error) {
	if p.Result == Count {
		text, err := os.ReadFile(stdout.Name())
		if text = bytes.TrimSpace(text); len(text) == 0 {
			return "0", err // ripgrep prints no zero
		}
		return string(text), err
	}
	names := []string{stdout.Name()}
	if info, err := os.Stat(p.OutDir); err == nil && !info.IsDir() {
		names = []string{p.OutDir}
	} else if p.OutDir != "" {
		if names, err = filepath.Glob(filepath.Join(p.OutDir, "part-*")); err != nil {
			return "", err
		}
	}
	var files []io.Reader
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		files = append(files, f)
	}
	if p.Result == Lines {
		return digestLines(files)
	}
	hash := xxhash.New()
	n, err := io.Copy(hash, io.MultiReader(files...))
	return fmt.Sprintf("%d bytes/%016x", n, hash.Sum64()), err
}

// digestLines returns a digest of the files' lines that does not depend on their order.
func digestLines(files []io.Reader) (string, error) {
	lines, hashes := uint64(0), uint64(0)
	for _, f := range files {
		buffered := bufio.NewReaderSize(f, 1<<20)
		for {
			line, err := buffered.ReadBytes('\n')
			if len(line) > 0 {
				lines++
				hashes += xxhash.Sum64(bytes.TrimSuffix(line, []byte{'\n'}))
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return "", err
			}
		}
	}
	return fmt.Sprintf("%d lines/%016x", lines, hashes), nil
}
