package dfa

import (
	"errors"
	"regexp/syntax"
	"slices"
	"unicode"

	"github.com/tarry-mr/tarry/jobs/internal/teddy"
)

// ErrTooLarge is the error for an expression of more than maxInstructions.
var ErrTooLarge = errors.New("dfa: the expression is too large")

// maxInstructions is the maximum size of a compiled expression.
const maxInstructions = 10_000

// Program is a compiled expression. It is immutable, and goroutines may share it; each needs its
// own Searcher.
type Program struct {
	insts    []inst
	start    uint32
	alphabet *alphabet
	sets     [][]bool     // sets of character classes
	prefix   *teddy.Table // what every match begins with; nil if that is not useful

	// All says that every line matches, since the expression matches the empty text.
	All bool
}

// Skips reports whether a Searcher skips text in which no match can begin; false for nil.
func (p *Program) Skips() bool { return p != nil && p.prefix != nil }

// inst is an instruction of syntax.Prog; set is the index of the set of characters that it reads.
type inst struct {
	op       syntax.InstOp // InstRune for all instructions that read a character
	out, arg uint32
	set      int32
}

// Compile compiles an expression parsed by package regexp/syntax with any flags. It returns
// ErrTooLarge or an error of package syntax.
func Compile(tree *syntax.Regexp) (*Program, error) {
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxInstructions {
		return nil, ErrTooLarge
	}
	p := &Program{start: uint32(prog.Start)}
	var sets [][]rune
	words, known := false, map[string]int32{}
	for i := range prog.Inst {
		from := &prog.Inst[i]
		to := inst{op: from.Op, out: from.Out, arg: from.Arg}
		switch from.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			set := runesOf(from)
			id, ok := known[string(set)]
			if !ok {
				id = int32(len(sets))
				sets, known[string(set)] = append(sets, set), id
			}
			to.op, to.set = syntax.InstRune, id
		case syntax.InstEmptyWidth:
			words = words || syntax.EmptyOp(from.Arg)&wordOps != 0
		default: // reads nothing
		}
		p.insts = append(p.insts, to)
	}
	p.alphabet = newAlphabet(sets, words)
	for _, set := range sets {
		in := make([]bool, len(p.alphabet.starts))
		for i := 0; i < len(set); i += 2 {
			for c := p.alphabet.search(set[i]); int(c) < len(in) && p.alphabet.starts[c] <= set[i+1]; c++ {
				in[c] = true
			}
		}
		p.sets = append(p.sets, in)
	}
	s := p.NewSearcher()
	p.All = s.begin == matchValue
	p.prefix = newPrefix(p, sets)
	return p, nil
}

// runesOf returns the characters that an instruction reads, as a sorted list of ranges: first,
// last, first, last …
func runesOf(i *syntax.Inst) []rune {
	switch i.Op {
	case syntax.InstRuneAny:
		return []rune{0, unicode.MaxRune}
	case syntax.InstRuneAnyNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	case syntax.InstRune1:
		return []rune{i.Rune[0], i.Rune[0]}
	default: // InstRune
	}
	if len(i.Rune) != 1 {
		return i.Rune
	}
	cases := []rune{i.Rune[0]}
	if syntax.Flags(i.Arg)&syntax.FoldCase != 0 {
		for r := unicode.SimpleFold(i.Rune[0]); r != i.Rune[0]; r = unicode.SimpleFold(r) {
			cases = append(cases, r)
		}
	}
	slices.Sort(cases)
	var pairs []rune
	for _, r := range cases {
		pairs = append(pairs, r, r)
	}
	return pairs
}
