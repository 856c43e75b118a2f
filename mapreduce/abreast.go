package mapreduce

import "github.com/tarry-mr/tarry/mapreduce/internal/combine"

// abreast looks up the keys of several records of a broadcast join at a time. The records are given to
// each in the order in which they came, and while one is with it, it is the record at hand of errors.
type abreast[I, B, O any] struct {
	task  *Task
	each  func(rec I, matches []B, emit func(O)) error
	emit  func(O)
	ahead *combine.Ahead[B]
	held  []I
	begin []*byte // of each, where it lies in the input
}

// add takes a record and the encoding of its key.
func (b *abreast[I, B, O]) add(rec I, key []byte) error {
	b.held, b.begin = append(b.held, rec), append(b.begin, b.task.reader.now)
	if b.ahead.Add(key) {
		return nil
	}
	return b.flush()
}

// flush calls each for the records that are held.
func (b *abreast[I, B, O]) flush() error {
	r, last := b.task.reader, b.task.reader.now
	for i, matches := range b.ahead.Find() {
		r.now, r.behind = b.begin[i], int64(len(b.held)-1-i)
		if err := b.each(b.held[i], matches, b.emit); err != nil {
			return err
		}
	}
	r.now = last
	b.held, b.begin = b.held[:0], b.begin[:0]
	return nil
}
