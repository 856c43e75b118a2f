package worker

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Engines that only start tasks, such as array jobs of Slurm and Kubernetes, do not move frames.
// Their workers exchange files in a common directory or store:
//
//	m-00003         the frames of map 3
//	m-00003.ends    the offset in it where each reduce's frames end, 8 bytes each, big-endian
//	r-00001.report  the report of reduce 1 (m-… of a job without reduces)
//
// Each file is written under a name of its attempt and then renamed, so it is always complete,
// however many attempts run.

// runShared runs the task, with its input and output as files in the shared folder in.
func (a *attempt) runShared(ctx context.Context, in folder) error {
	switch {
	case a.id.Kind == cluster.ReduceKind:
		list, r, err := openShared(in, a.id.Index, len(a.layout.Splits), a.layout.Reduces)
		if err != nil {
			return err
		}
		err = a.runReduce(ctx, r, output)
		for _, f := range list {
			err = errors.Join(err, f.Close())
		}
		return err
	case a.p.MapOnly():
		return a.runMap(ctx, output)
	}
	name := mapFile(a.id.Index)
	var ends []byte
	err := in.put(name, a.id.String(), func(w *os.File) error {
		if err := a.runMap(ctx, w); err != nil {
			return err
		}
		list, err := indexFrames(w, a.id.Index, a.layout.Reduces)
		for _, end := range list {
			ends = binary.BigEndian.AppendUint64(ends, uint64(end))
		}
		return err
	})
	if err != nil {
		return err
	}
	return in.put(name+endsSuffix, a.id.String(), func(w *os.File) error {
		_, err := w.Write(ends)
		return err
	})
}

const (
	endsSuffix   = ".ends"
	reportSuffix = ".report"
)

// countFiles returns how many files have names with a prefix and a suffix.
func countFiles(files []fs.DirEntry, prefix, suffix string) (n int) {
	for _, f := range files {
		if strings.HasPrefix(f.Name(), prefix) && strings.HasSuffix(f.Name(), suffix) {
			n++
		}
	}
	return n
}

func mapFile(index int) string { return fmt.Sprintf("m-%05d", index) }

func reportFile(id mapreduce.AttemptID) string {
	return fmt.Sprintf("%c-%05d%s", id.Kind.String()[0], id.Index, reportSuffix)
}

// openShared opens the frames of all maps for a reduce; the caller closes list.
func openShared(in folder, reduce, maps, reduces int) (list []io.Closer, r io.Reader, err error) {
	defer func() {
		if err != nil {
			for _, f := range list {
				_ = f.Close() // only read
			}
			list = nil
		}
	}()
	var readers []io.Reader
	for i := range maps {
		name := mapFile(i)
		ends, err := in.read(name + endsSuffix)
		if err == nil && len(ends) != 8*reduces {
			err = fmt.Errorf("%s: %d bytes for %d reduces: %w", in.fullName(name+endsSuffix), len(ends), reduces, errFrames)
		}
		if err != nil {
			return list, nil, fmt.Errorf("what map %d has for the reduces: %w", i, err)
		}
		from, to := int64(0), int64(binary.BigEndian.Uint64(ends[8*reduce:]))
		if reduce > 0 {
			from = int64(binary.BigEndian.Uint64(ends[8*(reduce-1):]))
		}
		f := &lateFile{in: in, name: name, from: from, size: to - from}
		list = append(list, f)
		readers = append(readers, f)
	}
	return list, bufio.NewReaderSize(io.MultiReader(readers...), 256<<10), nil
}

// lateFile is a part of a file that is open only from its first read to its last, so that a reduce
// of a thousand maps has one file open.
type lateFile struct {
	in         folder
	name       string
	from, size int64
	f          io.Closer
	r          io.Reader
}

// Read implements io.Reader.
func (l *lateFile) Read(p []byte) (n int, err error) {
	if l.r == nil {
		if l.r, l.f, err = l.in.stretch(l.name, l.from, l.size); err != nil {
			return 0, err
		}
	}
	if n, err = l.r.Read(p); err != nil {
		_ = l.Close() // only read
	}
	return n, err
}

// Close implements io.Closer.
func (l *lateFile) Close() error {
	if l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	return f.Close()
}
