package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// swaps gives an operator the one that a careless hand might have written.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.INC: token.DEC, token.DEC: token.INC,
}

// placeAtRandom lists all faults that the files of some packages can have, shuffled.
func placeAtRandom(packages []string, seed uint64) ([]mutant, error) {
	var all []mutant
	for _, dir := range packages {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
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

// placesIn lists the faults that a file can have: swapped operators, conditions turned around, calls
// left out.
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
	add := func(from, to token.Pos, with string) {
		start, end := set.Position(from).Offset, set.Position(to).Offset
		old := string(text[start:end])
		list = append(list, mutant{
			Name: fmt.Sprintf("%s:%d: %q for %q", name, set.Position(from).Line, with, old),
			File: filepath.Clean(name), Old: old, New: with, at: start,
		})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if to, ok := swaps[n.Op]; ok {
				add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), to.String())
			}
		case *ast.IncDecStmt:
			add(n.TokPos, n.TokPos+2, swaps[n.Tok].String())
		case *ast.AssignStmt:
			if to, ok := swaps[n.Tok]; ok {
				add(n.TokPos, n.TokPos+token.Pos(len(n.Tok.String())), to.String())
			}
		case *ast.IfStmt:
			add(n.Cond.Pos(), n.Cond.End(), "!("+string(text[set.Position(n.Cond.Pos()).Offset:set.Position(n.Cond.End()).Offset])+")")
		case *ast.ExprStmt:
			add(n.Pos(), n.End(), "")
		}
		return true
	})
	return list, nil
}
