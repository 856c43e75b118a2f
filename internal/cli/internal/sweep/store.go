package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
)

// Store keeps the figures of runs, a file each, under keys that tell all that they depend on. A file
// is there as a whole or not at all.
type Store struct{ Dir string }

// kept is what the file of a run holds.
type kept struct {
	Key      string             `json:"key"`
	Settings map[string]string  `json:"settings"`
	Seed     uint64             `json:"seed"`
	Figures  map[string]float64 `json:"figures"`
}

// Open makes the directory.
func Open(dir string) (*Store, error) {
	s := &Store{Dir: filepath.Join(dir, "runs")}
	return s, os.MkdirAll(s.Dir, 0o777)
}

func (s *Store) path(key string) string { return filepath.Join(s.Dir, key+".json") }

// Load gives the figures of a run, by name, in the order asked for. A file that is damaged or lacks
// a figure counts as not there.
func (s *Store) Load(key string, names []string) (figures []float64, there bool) {
	text, err := os.ReadFile(s.path(key))
	if err != nil {
		return nil, false
	}
	var k kept
	if json.Unmarshal(text, &k) != nil || k.Key != key {
		return nil, false
	}
	for _, name := range names {
		x, ok := k.Figures[name]
		if !ok {
			return nil, false
		}
		figures = append(figures, x)
	}
	return figures, true
}

// Save keeps the figures of a run.
func (s *Store) Save(key string, dimensions, names []string, r Run) error {
	k := kept{Key: key, Settings: map[string]string{}, Seed: r.Seed, Figures: map[string]float64{}}
	for i, d := range dimensions {
		k.Settings[d] = r.Point[i]
	}
	for i, name := range names {
		k.Figures[name] = r.Figures[i]
	}
	return WriteFile(s.path(key), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(k)
	})
}

// written counts the files of this process: two runs of a grid may have the same settings, and so the
// same file.
var written atomic.Int64

// WriteFile writes a file as a whole, or leaves what was there. Any goroutine may call it.
func WriteFile(name string, fill func(io.Writer) error) error {
	fresh := fmt.Sprintf("%s.%d-%d.new", name, os.Getpid(), written.Add(1))
	f, err := os.Create(fresh)
	if err != nil {
		return err
	}
	if err := errors.Join(fill(f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return os.Rename(fresh, name)
}
