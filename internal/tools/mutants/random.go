package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// swaps maps an operator to one with which a programmer may confuse it.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.INC: token.DEC, token.DEC: token.INC,
}

// placeAtRandom returns all possible random faults of some packages, in an order that seed decides.
func placeAtRandom(packages []string, seed uint64) ([]mutant, error) {
	var all []mutant
	for _, dir := range packages {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if ok, err := build.Default.MatchFile(dir, filepath.Base(name)); err != nil || !ok || strings.HasSuffix(name, "_test.go") {
				continue // a test, or a file for another system
			}
			found, err := placesIn(name)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all, nil
}

// placesIn returns all possible random faults of a file: swapped operators, negated conditions and
// removed calls.
func placesIn(name string) (list []mutant, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &finder{name: name, text: text, set: set}
	ast.Inspect(file, func(n ast.Node) bool {
		f.visit(n)
		return true
	})
	return f.list, nil
}

// finder collects the possible random faults of a file.
type finder struct {
	name string
	text []byte
	set  *token.FileSet
	list []mutant
}

func (f *finder) offset(p token.Pos) int { return f.set.Position(p).Offset }

// add adds the fault that replaces the text between from and to by with.
func (f *finder) add(from, to token.Pos, with string) {
	start, old := f.offset(from), string(f.text[f.offset(from):f.offset(to)])
	f.list = append(f.list, mutant{
		Name: fmt.Sprintf("%s:%d: %q for %q", f.name, f.set.Position(from).Line, with, old),
		File: filepath.Clean(f.name), Old: old, New: with, at: start,
	})
}

// swap adds the fault that replaces an operator by another one, if swaps has one for it.
func (f *finder) swap(at token.Pos, operator token.Token) {
	if to, ok := swaps[operator]; ok {
		f.add(at, at+token.Pos(len(operator.String())), to.String())
	}
}

func (f *finder) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.swap(n.OpPos, n.Op)
	case *ast.IncDecStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.AssignStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.IfStmt:
		c := n.Cond
		f.add(c.Pos(), c.End(), "!("+string(f.text[f.offset(c.Pos()):f.offset(c.End())])+")")
	case *ast.ExprStmt:
		f.add(n.Pos(), n.End(), "")
	}
}
