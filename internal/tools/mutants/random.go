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
	"slices"
	"strings"
)

// swaps maps an operator to one with which a programmer may confuse it.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.INC: token.DEC, token.DEC: token.INC,
}

// placeAtRandom returns all faults that can be put into the files of some packages, shuffled.
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

// placesIn returns all faults that can be put into a file: swapped operators, negated conditions
// and removed calls.
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

// finder collects the faults that can be put into a file.
type finder struct {
	name string
	text []byte
	set  *token.FileSet
	list []mutant
	post ast.Stmt // of the innermost for statement so far
}

func (f *finder) offset(p token.Pos) int { return f.set.Position(p).Offset }

func (f *finder) source(n ast.Node) string {
	return string(f.text[f.offset(n.Pos()):f.offset(n.End())])
}

// add adds the fault that replaces the text between from and to by with. gate, if not empty, can
// replace whole, the expression or statement around the text, and chooses one of them (see gates).
func (f *finder) add(from, to token.Pos, with string, whole ast.Node, gate string) {
	start, end := f.offset(from), f.offset(to)
	m := mutant{
		Name: fmt.Sprintf("%s:%d: %q for %q", f.name, f.set.Position(from).Line, with, f.text[start:end]),
		File: filepath.Clean(f.name), Old: string(f.text[start:end]), New: with, at: start, gate: gate,
	}
	if whole != nil {
		m.from, m.to = f.offset(whole.Pos()), f.offset(whole.End())
	}
	f.list = append(f.list, m)
}

func (f *finder) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if to, ok := swaps[n.Op]; ok {
			f.add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), to.String(), n, f.eitherOf(n, to))
		}
	case *ast.ForStmt:
		f.post = n.Post
	case *ast.IncDecStmt:
		x, to := f.source(n.X), swaps[n.Tok].String()
		gate := "if " + chosen + " { " + x + to + " } else { " + x + n.Tok.String() + " }"
		if n == f.post {
			gate = x + " = " + either + x + to[:1] + "1, " + x + n.Tok.String()[:1] + "1)"
		}
		f.add(n.TokPos, n.TokPos+2, to, n, gate)
	case *ast.AssignStmt:
		if to, ok := swaps[n.Tok]; ok {
			x, y := f.source(n.Lhs[0]), f.source(n.Rhs[0])
			gate := "if " + chosen + " { " + x + to.String() + y + " } else { " + x + n.Tok.String() + y + " }"
			f.add(n.TokPos, n.TokPos+token.Pos(len(n.Tok.String())), to.String(), n, gate)
		}
	case *ast.IfStmt:
		c := f.source(n.Cond)
		f.add(n.Cond.Pos(), n.Cond.End(), "!("+c+")", n.Cond, "("+chosen+" != ("+c+"))")
	case *ast.ExprStmt:
		f.add(n.Pos(), n.End(), "", n, "if !"+chosen+" { "+f.source(n)+" }")
	}
}

// eitherOf returns a gate with the value of n for either operator, or "" if that is not possible.
func (f *finder) eitherOf(n *ast.BinaryExpr, to token.Token) string {
	x, y := f.source(n.X), f.source(n.Y)
	as, with := "("+x+n.Op.String()+y+")", "("+x+to.String()+y+")"
	if n.Op == token.ADD || n.Op == token.SUB || n.Op == token.MUL {
		if calls(n) { // the gate evaluates the operands twice
			return ""
		}
		return either + with + ", " + as + ")"
	}
	return "(" + chosen + " && " + with + " || !" + chosen + " && " + as + ")"
}

// calls reports whether an expression calls a function that may have side effects.
func calls(n ast.Expr) (any bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			id, ok := c.Fun.(*ast.Ident)
			any = any || !ok || !slices.Contains([]string{"len", "cap", "min", "max", "int", "int64", "uint64", "float64"}, id.Name)
		}
		return !any
	})
	return any
}
