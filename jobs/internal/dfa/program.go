package dfa

import (
	"errors"
	"regexp/syntax"

	"github.com/tarry-mr/tarry/jobs/internal/teddy"
)

// ErrTooLarge is the error for an expression of more than maxInstructions.
var ErrTooLarge = errors.New("dfa: the expression is too large")

// maxInstructions is the maximum size of a compiled expression.
const maxInstructions = 10_000

// The assertions about the start of a line and about words.
const (
	beginOps = syntax.EmptyBeginLine | syntax.EmptyBeginText
	wordOps  = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
)

// Program is a compiled expression. Goroutines may share it; each needs its own Searcher.
type Program struct {
	*syntax.Prog
	alphabet *alphabet
	words    bool         // the expression has \b or \B
	prefix   *teddy.Table // what every match begins with; nil if that is not useful

	// All says that every line matches, since the expression matches the empty text.
	All bool
}

// Compile compiles an expression parsed by package regexp/syntax with any flags. If skips is set,
// Searchers skip text in which no match can begin, where that pays. Compile returns ErrTooLarge or
// an error of package syntax.
func Compile(tree *syntax.Regexp, skips bool) (*Program, error) {
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxInstructions {
		return nil, ErrTooLarge
	}
	p := &Program{Prog: prog}
	for _, i := range prog.Inst {
		p.words = p.words || i.Op == syntax.InstEmptyWidth && syntax.EmptyOp(i.Arg)&wordOps != 0
	}
	p.alphabet = newAlphabet(prog, p.words)
	_, p.All = p.NewSearcher().follow([]uint32{uint32(prog.Start)}, beginOps)
	if skips {
		p.prefix = newPrefix(p)
	}
	return p, nil
}

// Skips reports whether Searchers skip text in which no match can begin.
func (p *Program) Skips() bool { return p.prefix != nil }
