package mapreduce

import (
	"slices"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// keptSource is a dfs.Source without bytes that stands for a part that is kept, or for parts that
// are read together.
type keptSource struct{ of []keptRef }

type keptRef struct {
	parts *KeptParts
	index int
}

// Name implements dfs.Source.
func (s *keptSource) Name() string { return s.of[0].parts.partName(s.of[0].index) }

// Size implements dfs.Source.
func (s *keptSource) Size() (n int64) {
	for _, r := range s.of {
		size, _ := r.parts.sizeOf(r.index)
		n += size
	}
	return n
}

// ReadAt implements dfs.Source.
func (*keptSource) ReadAt([]byte, int64) (int, error) { return 0, errNoBytes }

// View implements dfs.Source.
func (*keptSource) View(int64, int) ([]byte, func(), error) { return nil, nil, errNoBytes }

// Close implements dfs.Source.
func (*keptSource) Close() error { return nil }

// KeptOn lists the nodes on which the records lie.
func (s *keptSource) KeptOn() (hosts []string) {
	for _, r := range s.of {
		if _, host := r.parts.sizeOf(r.index); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// expected is how many records a source belongs to, so that there may be as many keys; 0 if unknown.
func expected(s Source) int {
	k, ok := s.Data.(*keptSource)
	if !ok {
		return 0
	}
	n, _, _ := k.of[0].parts.Size()
	return int(n)
}

// keptOf are the kept parts that sources are of, each once.
func keptOf(list []*KeptParts, sources []Source) []*KeptParts {
	for _, s := range sources {
		if k, ok := s.Data.(*keptSource); ok {
			for _, r := range k.of {
				if !slices.Contains(list, r.parts) {
					list = append(list, r.parts)
				}
			}
		}
	}
	return list
}

// Kept are the kept parts that the plan reads.
func (p *Plan) Kept() []*KeptParts { return slices.Clone(p.kept) }

// Hold keeps what the plan reads of kept parts until the job ends; SetupJob does so if nobody has
// before. With revive set it may have been released: its parts are then lost, and to be made again
// before the job reads them. After an error nothing is held.
func (p *Plan) Hold(revive bool) error {
	if p.holds {
		return nil
	}
	for i, k := range p.kept {
		if err := k.hold(revive); err != nil {
			for _, k := range p.kept[:i] {
				k.letGo()
			}
			return err
		}
	}
	p.holds = true
	return nil
}

// LetGo gives up a plan that was claimed and does not come to SetupJob: what it holds and its
// files.
func (p *Plan) LetGo() error {
	p.letGo()
	return input.CloseAll(p.sources)
}

// letGo ends Hold.
func (p *Plan) letGo() {
	if !p.holds {
		return
	}
	p.holds = false
	for _, k := range p.kept {
		k.letGo()
	}
}

// read yields the records that begin in the split.
func (k *Kept[T]) read(s *splitReader, yield func(T) error) error {
	return k.runs(s, func(at int64, run []byte) error { return k.readRun(s, at, run, yield) })
}

// readLists is read for records that are images.
func (k *Kept[T]) readLists(s *splitReader, yield func(list []T) (int, error)) error {
	return k.runs(s, func(at int64, run []byte) error { return k.readList(s, at, run, yield) })
}

// runs yields the runs of records that begin in the split, and where each begins in its part.
func (k *Kept[T]) runs(s *splitReader, yield func(at int64, run []byte) error) error {
	ref := s.source.Data.(*keptSource).of[0]
	data, err := ref.parts.open(ref.index)
	if err != nil {
		return err
	}
	defer data.drop()
	from, end := int64(0), s.split.Offset+s.split.Length
	for i := range data.blocks {
		to := from + int64(data.blocks[i].size)
		if to > s.split.Offset && from < end {
			err := data.look(i, s.budget, func(block []byte) error {
				first, last := k.form.start(block, s.split.Offset-from), k.form.start(block, end-from)
				if first == last {
					return nil
				}
				return yield(from+int64(first), block[first:last])
			})
			if err != nil {
				return ref.parts.damaged(ref.index, data, err)
			}
		}
		from = to
	}
	return s.tick(0)
}

// readRun yields the records of a run that begins at a byte of its part.
func (k *Kept[T]) readRun(s *splitReader, at int64, run []byte, yield func(T) error) (err error) {
	if err := s.tick(int64(len(run))); err != nil {
		return err
	}
	s.begin(at, len(run))
	s.first = unsafe.SliceData(run)
	err = ErrExited
	defer s.placePanic(run, &s.now, k.form.length, &err)
	return k.form.each(run, func(rec T, b []byte) error {
		s.now = unsafe.SliceData(b)
		err := yield(rec)
		if err != nil {
			err = s.refused(run, b, err)
		}
		return err
	})
}

// readList is readRun for records that are images.
func (k *Kept[T]) readList(s *splitReader, at int64, run []byte, yield func(list []T) (int, error)) (err error) {
	if err := s.tick(int64(len(run))); err != nil {
		return err
	}
	s.begin(at, len(run))
	s.first = unsafe.SliceData(run)
	err = ErrExited
	defer s.placePanic(run, &s.now, k.form.length, &err)
	n, err := yield(memory.Cast[T](run))
	if err != nil && n*k.form.size < len(run) {
		err = s.refused(run, run[n*k.form.size:][:k.form.size], err)
	}
	return err
}
