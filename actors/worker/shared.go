package worker

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Engines that only start tasks, such as processes and array jobs of Slurm and Kubernetes, do not
// move frames. Their workers exchange files in a common directory or store:
//
//	m-00003         the frames of map 3, then the offset where each reduce's frames end, 8 bytes
//	                each, big-endian
//	r-00001         the report of reduce 1 (m-… of a job without reduces)
//
// Each file is written under a name of its attempt and then renamed, so it is always complete,
// however many attempts run.

// runShared runs the task, with its input and output as files in the folder task.Shuffle.
func (a *attempt) runShared(ctx context.Context) error {
	in, err := folderAt(a.task.Shuffle)
	switch {
	case err != nil:
		return err
	case a.id.Kind == cluster.ReduceKind:
		var list []io.Reader
		for i := range a.layout.Splits {
			r, err := framesOf(in, i, a.id.Index, a.layout.Reduces)
			if err != nil {
				return fmt.Errorf("what map %d has for the reduces: %w", i, err)
			}
			list = append(list, r)
		}
		return a.runReduce(ctx, io.MultiReader(list...), output)
	case a.p.MapOnly():
		return a.runMap(ctx, output)
	}
	return in.put(mapFile(a.id.Index), a.id.String(), func(w io.Writer) error { return a.runMap(ctx, w) })
}

func mapFile(index int) string { return fmt.Sprintf("m-%05d", index) }

func reportFile(id mapreduce.AttemptID) string {
	return fmt.Sprintf("%c-%05d", id.Kind.String()[0], id.Index)
}

// framesOf returns a reader of the frames that a map has for a reduce.
func framesOf(in folder, index, reduce, reduces int) (io.Reader, error) {
	name := mapFile(index)
	f, err := in.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	ends := make([]byte, 8*reduces)
	size := info.Size() - int64(len(ends)) // of the frames
	if size >= 0 {
		if _, err := f.ReadAt(ends, size); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	end := func(reduce int) int64 { return int64(binary.BigEndian.Uint64(ends[8*reduce:])) }
	from, to := int64(0), end(reduce)
	if reduce > 0 {
		from = end(reduce - 1)
	}
	if size < 0 || end(reduces-1) != size || from < 0 || to < from {
		return nil, fmt.Errorf("%s: %d bytes for %d reduces: %w", in.fullName(name), info.Size(), reduces, errFrames)
	}
	return &lateFile{in: in, name: name, from: from, size: to - from}, nil
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
func (l *lateFile) Read(p []byte) (int, error) {
	if l.r == nil {
		f, err := l.in.open(l.name)
		if err != nil {
			return 0, err
		}
		l.f, l.r = f, io.NewSectionReader(f, l.from, l.size)
	}
	n, err := l.r.Read(p)
	if err != nil {
		_ = l.f.Close() // only read
	}
	return n, err
}
