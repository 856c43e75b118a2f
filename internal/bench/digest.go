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
	if p.Result == Bytes {
		return digestBytes(names)
	}
	var sum lineSum
	for _, name := range names {
		if err := sum.addFile(name); err != nil {
			return "", err
		}
	}
	return sum.String(), nil
}

// digestBytes returns a digest of the contents of files, read one after the other.
func digestBytes(names []string) (string, error) {
	sum, size := xxhash.New(), int64(0)
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		n, err := io.Copy(sum, f)
		f.Close()
		if err != nil {
			return "", err
		}
		size += n
	}
	return fmt.Sprintf("%d bytes/%016x", size, sum.Sum64()), nil
}

// lineSum is a digest of lines that does not depend on their order.
type lineSum struct {
	lines, hashes uint64
}

func (s lineSum) String() string { return fmt.Sprintf("%d lines/%016x", s.lines, s.hashes) }

func (s *lineSum) addFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.add(f)
}

func (s *lineSum) add(r io.Reader) error {
	buffered := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := buffered.ReadBytes('\n')
		if len(line) > 0 {
			s.lines++
			s.hashes += xxhash.Sum64(bytes.TrimSuffix(line, []byte{'\n'}))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
