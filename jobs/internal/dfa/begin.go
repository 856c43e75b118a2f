package dfa

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/tarry-mr/tarry/jobs/internal/teddy"
)

const (
	// maxBeginnings is the number of beginnings above which newPrefix tries shorter ones, and
	// maxBeginWork the units of work.
	maxBeginnings = 512
	maxBeginWork  = 2_000_000
	// maxShare is the share of text positions that a useful prefix matches at most, in parts per
	// 10⁹.
	maxShare = 120_000_000
)

// beginner collects the possible beginnings of matches: the possible values of each of their first
// n bytes.
type beginner struct {
	s        *Searcher // finds only matches that begin where it does
	n        int       // length of a beginning in bytes
	shortest int       // minimum length of a match in bytes, at most n
	found    []teddy.Pattern
	lives    map[uint32]bool // results of live
	maxWork  int64           // of s
}

// newPrefix returns the prefix of a program. It returns nil if a prefix would not help: a match can
// be empty, or begin with nearly anything.
func newPrefix(p *Program) *teddy.Table {
	s := p.NewSearcher()
	s.anchored, s.maxHeld = true, math.MaxInt
	s.clear()
	for n := teddy.Bytes; n > 0; n-- {
		b := beginner{s: s, n: n, shortest: n, lives: map[uint32]bool{}, maxWork: s.work + maxBeginWork}
		for _, v := range s.starts {
			b.walk(v, 0, teddy.Pattern{})
		}
		if b.shortest < n {
			n = b.shortest + 1 // try again with a shorter beginning
			continue
		}
		if b.tooMany() {
			continue
		}
		all, share := make([]teddy.Pattern, min(len(b.found), teddy.Buckets)), 0
		for i, x := range b.found { // in ascending order, so that similar ones share a bucket
			bucket := i * len(all) / len(b.found)
			all[bucket] = all[bucket].With(x)
		}
		for _, x := range all {
			share += x.Share()
		}
		if share > maxShare {
			return nil
		}
		return teddy.New(all, n)
	}
	return nil
}

func (b *beginner) tooMany() bool { return len(b.found) > maxBeginnings || b.s.work > b.maxWork }

// walk adds the beginnings that have the first depth bytes of head, followed by what leads on from
// the state of the table's value v.
func (b *beginner) walk(v uint32, depth int, head teddy.Pattern) {
	if v == deadValue || b.tooMany() {
		return
	}
	if depth == b.n {
		lives, known := b.lives[v]
		if !known {
			lives = b.live(v, utf8.UTFMax-1)
			b.lives[v] = lives
		}
		if lives && !slices.Contains(b.found, head) {
			b.found = append(b.found, head)
		}
		return
	}
	var next []uint32
	var sets []teddy.Set // of the bytes that lead to the states in next
	for c := range 256 {
		to := b.s.value(v, byte(c))
		switch {
		case to == matchValue: // before this byte
			b.shortest = min(b.shortest, depth)
			continue
		case to == deadValue || c == '\n':
			continue
		case depth == 0 && c >= 0x80 && c < 0xc0: // the position could be in the middle of a character
			b.shortest = 0
			return
		}
		i := slices.Index(next, to)
		if i < 0 {
			i, next, sets = len(next), append(next, to), append(sets, teddy.Set{})
		}
		sets[i].Add(byte(c), byte(c))
	}
	for i, to := range next {
		head[depth] = sets[i]
		b.walk(to, depth+1, head)
	}
}

// live reports whether a character that has begun can end so that a match may continue. It
// looks at most left bytes ahead.
func (b *beginner) live(v uint32, left int) bool {
	if v&special != 0 || left == 0 || b.s.stateOf(v).begun == "" {
		return v != deadValue
	}
	classes := &b.s.p.alphabet.classes
	for c := range 256 {
		known := c > 0 && classes[c] == classes[c-1]
		if !known && c != '\n' && b.live(b.s.value(v, byte(c)), left-1) {
			return true
		}
	}
	return false
}
