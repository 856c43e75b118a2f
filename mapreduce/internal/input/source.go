package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/globs"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Source is one file of an input, or bytes, a stream or records instead of a file.
type Source struct {
	// Data reads the bytes as stored; nil for a stream that can be read once.
	Data dfs.Source

	name    string
	twin    int                           // earlier sources in the plan with the same name
	reopens bool                          // Data is a dfs.LocalFile, which each plan must open for itself
	stream  func() (io.ReadCloser, error) // replaces Data, or reads its bytes; then it may be called repeatedly
	packed  *packing                      // nil: not compressed
	shared  *shared                       // by the readers of one plan; set by Own
}

// shared is a value that the first of several readers makes.
type shared struct {
	once  sync.Once
	value any
}

// Shared returns what the readers of the source share in one plan, such as positions in a CSV file;
// made returns it for the first of them.
func Shared(s Source, made func() any) any {
	s.shared.once.Do(func() { s.shared.value = made() })
	return s.shared.value
}

// Name returns the source's name for messages.
func (s Source) Name() string { return s.name }

// Of returns a source that reads data. Unlike Stored, it trusts data and does not look into it.
func Of(data dfs.Source, name string) Source { return Source{Data: data, name: name} }

// Packed reports whether the file of s is compressed.
func Packed(s Source) bool { return s.packed != nil }

// IsStream reports whether the source can be read only from start to end, even if it is not
// compressed.
func IsStream(s Source) bool { return s.stream != nil }

// Twin returns the number of earlier sources in the plan that have the same name as s.
func Twin(s Source) int { return s.twin }

// Kept reports whether the source is a part of a dataset in memory, and returns the nodes that hold
// it: none if the part is lost or a run without nodes has written it.
func (s Source) Kept() (hosts []string, kept bool) {
	k, ok := s.Data.(interface{ KeptOn() (hosts []string) })
	if !ok {
		return nil, false
	}
	return k.KeptOn(), true
}

// Size returns the number of bytes as stored, or -1 for a stream.
func (s Source) Size() int64 {
	if s.Data == nil {
		return -1
	}
	return s.Data.Size()
}

// Splittable reports whether maps can read the source in parts. Compressed files and streams can
// only be read from start to end, as one split.
func (s Source) Splittable() bool { return s.Data != nil && s.stream == nil && s.packed == nil }

// Stored implements mapreduce.Stored, which documents it.
func Stored(data dfs.Source) (Source, error) {
	data, err := guarded(data)
	if err != nil {
		return Source{}, err
	}
	s := Source{Data: data, name: data.Name(), packed: packingOf(data.Name())}
	return s, checkMagic(s)
}

// File implements mapreduce.File, which documents it.
func File(path string) (Source, error) {
	data, err := dfs.OpenLocal(path)
	if err != nil {
		return noLocalFile(path, err)
	}
	s, err := Stored(data)
	s.reopens = true
	return s, err
}

// noLocalFile returns what File returns for a path that is not an ordinary file, such as a pipe.
func noLocalFile(path string, failed error) (Source, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Source{}, err
	case info.IsDir():
		return Source{}, fmt.Errorf("%s: is a directory", path)
	case !info.Mode().IsRegular(), errors.Is(failed, dfs.ErrNoSize):
		return lateStream(path), nil
	}
	return Source{}, failed
}

// lateStream returns a source that opens path when it is read, because opening a pipe waits for its
// writer.
func lateStream(path string) Source {
	s := Source{name: path, packed: packingOf(path)}
	s.stream = once(path, func() (io.ReadCloser, error) { return os.Open(path) })
	return s
}

// Own returns copies of the sources for one plan, so that closing them does not affect other plans.
// It numbers sources of the same name (Twin).
func Own(sources []Source) ([]Source, error) {
	list, named := slices.Clone(sources), make(map[string]int, len(sources))
	for i, s := range list {
		list[i].twin = named[s.name]
		named[s.name]++
		list[i].shared = new(shared)
		if !s.reopens {
			continue
		}
		data, err := s.Data.(*dfs.LocalFile).Anew()
		if err != nil {
			return nil, err
		}
		list[i].Data = data
	}
	return list, nil
}

// ErrNoSources is the error of [Files] without paths, and of Bind for an input without sources.
var ErrNoSources = errors.New("nothing to read")

// Files implements mapreduce.Files, which documents it.
func Files(paths ...string) ([]Source, error) {
	if len(paths) == 0 {
		return nil, fmt.Errorf("mapreduce.Files: %w: no paths are given", ErrNoSources)
	}
	var list []Source
	for _, path := range paths {
		if stores.Named(path) {
			some, err := storedFiles(path)
			if err != nil {
				return nil, err
			}
			list = append(list, some...)
			continue
		}
		names, err := globs.Expand(path)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			some, err := fileOrZip(name)
			if err != nil {
				return nil, err
			}
			list = append(list, some...)
		}
	}
	return list, nil
}

// Stream implements mapreduce.Stream, which documents it.
func Stream(name string, r io.Reader) Source {
	return Source{name: name, stream: once(name, func() (io.ReadCloser, error) { return io.NopCloser(r), nil })}
}

// Bytes implements mapreduce.Bytes, which documents it.
func Bytes(name string, data []byte) Source {
	return Source{Data: dfs.Bytes(name, data), name: name}
}

// Peek returns a source of up to n bytes from the start of an uncompressed stream, and one that
// still reads all of it.
func Peek(s Source, n int) (first, all Source, err error) {
	r, err := s.stream()
	if err != nil {
		return s, s, err
	}
	head := make([]byte, n)
	k, err := Fill(r, head)
	if err != nil && err != io.EOF { //nolint:errorlint // fill returns a bare io.EOF
		return s, s, errors.Join(err, r.Close())
	}
	head, first = head[:k], s
	first.Data, first.stream = dfs.Bytes(s.name, head), nil
	s.stream = once(s.name, func() (io.ReadCloser, error) {
		return struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(head), r), r}, nil
	})
	return first, s, nil
}

func once(name string, open func() (io.ReadCloser, error)) func() (io.ReadCloser, error) {
	used := new(atomic.Bool)
	return func() (io.ReadCloser, error) {
		if used.Swap(true) {
			return nil, fmt.Errorf("%s: %w", name, fault.ErrConsumed)
		}
		return open()
	}
}

// packedBuffer is the number of bytes read at once from a compressed file.
const packedBuffer = 256 << 10

// counted adds the bytes read to n. Decompressors read ahead, and in goroutines of their own.
type counted struct {
	io.ReadCloser
	n *atomic.Int64
}

// Read implements io.Reader. It returns a panic of a user's reader as an error, since it may run in
// a goroutine of the decompressor.
func (c counted) Read(p []byte) (n int, err error) {
	defer fault.Catch(&err)
	n, err = c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Open returns a reader of the source's decompressed bytes. It adds the compressed bytes that it
// reads to stored.
func Open(s Source, stored *atomic.Int64) (io.ReadCloser, error) {
	var raw io.ReadCloser
	if s.stream == nil {
		section := counted{io.NopCloser(io.NewSectionReader(s.Data, 0, s.Data.Size())), stored}
		raw = io.NopCloser(bufio.NewReaderSize(section, packedBuffer))
	} else {
		stream, err := s.stream()
		if err != nil {
			return nil, err
		}
		raw = counted{&foreignStream{ReadCloser: stream, source: s}, stored}
	}
	if s.packed == nil || s.Size() == 0 {
		return raw, nil
	}
	r, err := s.packed.open(raw)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w: %w", s.name, fault.ErrCorruptInput, err), raw.Close())
	}
	return &unpacked{s.name, r, raw}, nil
}

// unpacked reads from a decompressor; its errors name the damaged file.
type unpacked struct {
	name string
	io.ReadCloser
	raw io.Closer
}

// Read implements io.Reader.
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s: %w: %w", u.name, fault.ErrCorruptInput, err)
	}
	return n, err
}

// Close implements io.Closer. Read has reported any damage.
func (u *unpacked) Close() error {
	_ = u.ReadCloser.Close()
	return u.raw.Close()
}

// CloseAll closes all sources; a panic of user code becomes an error.
func CloseAll(list []Source) error {
	var err error
	for _, s := range list {
		if s.Data != nil {
			err = errors.Join(err, fault.Step(s.Data.Close))
		}
	}
	return err
}
