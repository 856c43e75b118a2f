package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
)

// equivalent is a fault at random that was looked at and is none: the program does the same with it.
type equivalent struct {
	File string `yaml:"file"`
	At   string `yaml:"at"` // text of the file, which stands there once; Old stands in it
	Old  string `yaml:"old"`
	New  string `yaml:"new"`
	Why  string `yaml:"why"`
}

// readEquivalent reads the list of those that were shown to be equivalent.
func readEquivalent(path string) (list []equivalent, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := yaml.UnmarshalWithOptions(text, &list, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// is reports whether m is the fault; text is that of its file.
func (e *equivalent) is(m *mutant, text string) bool {
	if m.File != e.File || m.Old != e.Old || m.New != e.New {
		return false
	}
	from := strings.Index(text, e.At)
	return from >= 0 && from <= m.at && m.at+len(m.Old) <= from+len(e.At)
}

// isEquivalent reports whether a fault is on the list.
func (t *trial) isEquivalent(m *mutant) bool {
	text, err := os.ReadFile(m.File)
	if err != nil {
		return false
	}
	for i := range t.equivalent {
		if t.equivalent[i].is(m, string(text)) {
			return true
		}
	}
	return false
}
