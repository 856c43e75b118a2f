package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Engines that only start tasks, such as processes and array jobs of Slurm and Kubernetes, do not
// move frames. Their workers exchange files in a common directory or store: m-00003 has the frames
// of map 3, then the offset where each reduce's frames end, 8 bytes each, big-endian. A file is
// complete when it appears, however many attempts run.

// share writes a map's output to its file in the folder task.Shuffle.
func (a *attempt) share(out *cluster.MapOutput) error {
	in, err := folderAt(a.task.Shuffle)
	if err != nil {
		return err
	}
	return in.put(mapFile(a.id.Index), func(w io.Writer) error {
		ends, err := a.export(out, w)
		if err == nil {
			_, err = w.Write(ends)
		}
		return err
	})
}

// shared returns what the files in the folder task.Shuffle have for a reduce.
func (a *attempt) shared() (io.Reader, error) {
	in, err := folderAt(a.task.Shuffle)
	if err != nil {
		return nil, err
	}
	var list []io.Reader
	for i := range a.layout.Splits {
		r, err := framesOf(in, i, a.id.Index, a.layout.Reduces)
		if err != nil {
			return nil, fmt.Errorf("what map %d has for the reduces: %w", i, err)
		}
		list = append(list, r)
	}
	return io.MultiReader(list...), nil
}

func mapFile(index int) string { return fmt.Sprintf("m-%05d", index) }

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
