package input

import (
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/dfs"
)

// Stamp identifies the content of a source, to tell whether it has changed between two runs.
type Stamp struct {
	Name     string    `json:"name"`
	Size     int64     `json:"size"` // in bytes
	Modified time.Time `json:"modified,omitzero"`
	Version  string    `json:"version,omitempty"` // of a store's file, such as an ETag
	Sum      uint64    `json:"sum,omitempty"`     // xxhash64, for bytes made by the program
}

// StampOf returns the Stamp of a source as it is now.
func StampOf(s Source) (x Stamp, err error) {
	x = Stamp{Name: s.name, Size: s.Size()}
	switch data := s.Data.(type) {
	case *dfs.LocalFile:
		x.Modified = data.Modified().UTC()
	case *guardedSource:
		if f, ok := data.Source.(*fsFile); ok {
			x.Modified, x.Version = f.modified.UTC(), string(f.version)
		}
	default:
		b, release, err := s.Data.View(0, int(s.Size()))
		if err != nil {
			return x, err
		}
		x.Sum = xxhash.Sum64(b)
		release()
	}
	return x, nil
}

// String returns the stamp in words, for messages.
func (s Stamp) String() string {
	text := fmt.Sprintf("%s with %d bytes", s.Name, s.Size)
	if !s.Modified.IsZero() {
		text += " of " + s.Modified.Format(time.RFC3339Nano)
	}
	if s.Version != "" {
		text += ", version " + s.Version
	}
	if s.Sum != 0 {
		text += fmt.Sprintf(", xxhash64 %016x", s.Sum)
	}
	return text
}
