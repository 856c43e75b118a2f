package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
)

// equivalent is a random fault that changes no behavior, so that no test can notice it.
type equivalent struct {
	File string `yaml:"file"`
	At   string `yaml:"at"` // text that occurs once in the file and contains Old
	Old  string `yaml:"old"`
	New  string `yaml:"new"`
	Why  string `yaml:"why"`
}

// readEquivalent reads a list of equivalent faults, such as equivalent.yaml.
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

// is reports whether m is the fault e: the same change at the same place of text, m's file.
func (e *equivalent) is(m *mutant, text string) bool {
	if m.File != e.File || m.Old != e.Old || m.New != e.New {
		return false
	}
	from := strings.Index(text, e.At)
	return from >= 0 && from <= m.at && m.at+len(m.Old) <= from+len(e.At)
}

// isEquivalent reports whether a fault is on t's list of equivalent ones.
func (t *trial) isEquivalent(m *mutant) bool {
	text, err := os.ReadFile(filepath.Join(t.dir, m.File))
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
