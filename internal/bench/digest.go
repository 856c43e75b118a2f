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
	var sum digest = &byteSum{xxhash.New(), 0}
	if p.Result == Lines {
		sum = new(lineSum)
	}
	for _, name := range names {
		if err := addFile(sum, name); err != nil {
			return "", err
		}
	}
	return sum.String(), nil
}

// digest is a digest of files, which are added one after the other.
type digest interface {
	add(r io.Reader) error
	String() string
}

func addFile(sum digest, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return sum.add(f)
}

// byteSum is a digest of all bytes in order.
type byteSum struct {
	hash *xxhash.Digest
	size int64
}

func (s *byteSum) String() string { return fmt.Sprintf("%d bytes/%016x", s.size, s.hash.Sum64()) }

func (s *byteSum) add(r io.Reader) error {
	n, err := io.Copy(s.hash, r)
	s.size += n
	return err
}

// lineSum is a digest of lines that does not depend on their order.
type lineSum struct {
	lines, hashes uint64
}

func (s *lineSum) String() string { return fmt.Sprintf("%d lines/%016x", s.lines, s.hashes) }

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
