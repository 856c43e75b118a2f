package mapreduce

import "github.com/tarry-mr/tarry/mapreduce/internal/combine"

// joinBatch looks up the keys of several records of a broadcast join together. It passes the
// records to each in input order. During that call, errors refer to the record passed.
type joinBatch[I, B, O any] struct {
	task    *Task
	each    func(rec I, matches []B, emit func(O)) error
	emit    func(O)
	lookups *combine.LookupBatch[B]
	held    []I     // records that wait for flush
	begin   []*byte // the first byte of each in the input
}

// add adds a record and its encoded key, and calls flush when the batch is full.
func (b *joinBatch[I, B, O]) add(rec I, key []byte) error {
	b.held, b.begin = append(b.held, rec), append(b.begin, b.task.reader.now)
	if b.lookups.Add(key) {
		return nil
	}
	return b.flush()
}

// flush calls each for the waiting records.
func (b *joinBatch[I, B, O]) flush() error {
	r, last := b.task.reader, b.task.reader.now
	for i, matches := range b.lookups.Find() {
		r.now, r.behind = b.begin[i], int64(len(b.held)-1-i)
		if err := b.each(b.held[i], matches, b.emit); err != nil {
			return err
		}
	}
	r.now = last
	b.held, b.begin = b.held[:0], b.begin[:0]
	return nil
}
