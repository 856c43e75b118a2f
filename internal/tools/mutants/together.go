package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A build takes as long as the experiments that a fault can change. So one program contains all
// faults: it has a faulty copy of each function that a fault changes. The function calls this copy
// if the environment has the fault's number.

// function is a function of a file, as text.
type function struct {
	name, text, call, result string
	body                     int // offset of what comes after the opening brace, in text
}

// together puts all faults of the list into a copy of the module, fault i with the number i+1.
func together(module string, list []flaw) error {
	changed := map[string]*overlaid{}
	for i := range list {
		texts := map[string][]byte{}
		for k := range list[i].Edits {
			m := &list[i].Edits[k]
			if texts[m.File] == nil {
				text, err := os.ReadFile(filepath.Join(module, m.File))
				if err != nil {
					return err
				}
				texts[m.File] = text
			}
			bad, err := m.apply(texts[m.File])
			if err != nil {
				return fmt.Errorf("%s: %w", list[i].Name, err)
			}
			texts[m.File] = bad
		}
		for file, bad := range texts {
			if changed[file] == nil {
				sound, err := os.ReadFile(filepath.Join(module, file))
				if err != nil {
					return err
				}
				if changed[file], err = overlay(sound); err != nil {
					return err
				}
			}
			if err := changed[file].add(bad, i+1); err != nil {
				return fmt.Errorf("%s, %s: %w", list[i].Name, file, err)
			}
		}
	}
	for file, o := range changed {
		if err := o.write(filepath.Join(module, file)); err != nil {
			return err
		}
	}
	return nil
}

// overlaid is a file and the faulty copies of its functions.
type overlaid struct {
	sound     []byte
	functions []function
	gates     map[string]string // by function: statements at its beginning that call faulty copies
	copies    strings.Builder
}

func overlay(sound []byte) (*overlaid, error) {
	list, err := functionsOf(sound)
	return &overlaid{sound: sound, functions: list, gates: map[string]string{}}, err
}

// errOutside is the error for a fault that changes text outside of functions.
var errOutside = errors.New("a change outside of functions")

// add adds copies of the functions that differ in bad, the text of the file with a fault.
func (o *overlaid) add(bad []byte, number int) error {
	list, err := functionsOf(bad)
	if err != nil {
		return err
	}
	if len(list) != len(o.functions) {
		return errOutside
	}
	rest := bytes.Clone(bad)
	for i, f := range list {
		sound := o.functions[i]
		rest = bytes.Replace(rest, []byte(f.text), []byte(sound.text), 1)
		if f.text == sound.text {
			continue
		}
		suffix := "Faulty" + strconv.Itoa(number)
		o.copies.WriteString("\n" + strings.Replace(f.text, f.name+"(", f.name+suffix+"(", 1) + "\n")
		call := strings.Replace(sound.call, sound.name+"(", sound.name+suffix+"(", 1)
		if sound.result == "" {
			call += "; return"
		} else {
			call = "return " + call
		}
		o.gates[sound.name+sound.call] += fmt.Sprintf(" if mutantIs(%d) { %s };", number, call)
	}
	if !bytes.Equal(rest, o.sound) {
		return errOutside
	}
	return nil
}

// write writes the file with its faulty copies, and a file with the source of gates next to it.
func (o *overlaid) write(file string) error {
	text := string(o.sound)
	for _, f := range o.functions {
		if gate := o.gates[f.name+f.call]; gate != "" {
			heading := strings.Replace(f.text[:f.body], "_ ", unnamed+" ", 1)
			text = strings.Replace(text, f.text, heading+gate+f.text[f.body:], 1)
		}
	}
	text += o.copies.String()
	of := packageName.FindString(text) + gates
	return errors.Join(os.WriteFile(file, []byte(text), 0o666),
		os.WriteFile(filepath.Join(filepath.Dir(file), "mutant_gates.go"), []byte(of), 0o666))
}

// functionsOf returns the functions of a file.
func functionsOf(text []byte) (list []function, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	at := func(p token.Pos) int { return set.Position(p).Offset }
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		one := function{
			name: f.Name.Name, text: string(text[at(f.Pos()):at(f.End())]),
			body: at(f.Body.Lbrace) + 1 - at(f.Pos()),
		}
		one.call = one.name + "(" + names(f.Type.Params) + ")"
		if f.Recv != nil {
			one.call = names(f.Recv) + "." + one.call
		}
		if f.Type.Results != nil {
			one.result = "some"
		}
		list = append(list, one)
	}
	return list, nil
}

// unnamed names the parameter "_", at most one per function, so that it can be passed to the copy.
const unnamed = "mutantUnnamed"

// names returns the names of parameters as arguments of a call.
func names(list *ast.FieldList) string {
	var all []string
	for _, field := range list.List {
		for _, n := range field.Names {
			if n.Name == "_" {
				n.Name = unnamed
			}
			all = append(all, n.Name)
		}
	}
	return strings.Join(all, ", ")
}
