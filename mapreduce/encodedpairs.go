package mapreduce

import (
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// encodedPairs is the sequence of encoded pairs that a reduce attempt reads, in key order.
type encodedPairs struct {
	merge    *segment.Merge
	alive    *cluster.Watch
	progress *cluster.Progress // may be nil

	// The current pair, if ok. It is valid until the next call of next.
	key, value []byte
	ok         bool
	err        error

	records, groups int64
	list            [32]segment.Record // read ahead
	at, n           int
}

// next makes the next pair the current one; ok is false after the last one or an error.
func (p *encodedPairs) next() {
	if p.at == p.n {
		p.at, p.n = 0, p.merge.Some(p.list[:])
		if p.n == 0 {
			p.ok, p.err = false, p.merge.Err()
			return
		}
	}
	r := &p.list[p.at]
	p.key, p.value, p.ok = r.Key, r.Value, true
	p.at++
}

// done counts the current pair and advances, unless the attempt must end.
func (p *encodedPairs) done() {
	if p.records++; p.records&255 == 0 && p.progress != nil {
		p.progress.Records.Store(p.records)
	}
	if p.next(); p.err == nil {
		if p.err = p.alive.Check(); p.err != nil {
			p.ok = false
		}
	}
}

// fails ends the sequence: next returns no more pairs, and err is its error.
func (p *encodedPairs) fails(err error) { p.ok, p.err = false, err }
