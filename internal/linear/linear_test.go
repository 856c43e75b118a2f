package linear

import (
	"bytes"
	"testing"
)

// Check accepts linear work, and fails a test whose time or allocation grows with the square.
func TestCheckTellsSquares(t *testing.T) {
	build := func(n int) []byte { return make([]byte, n) }
	Check(t, 1<<18, build, func(text []byte) { bytes.Count(text, []byte{1}) })
	for name, work := range map[string]func(text []byte){
		"time": func(text []byte) {
			for range 16 * len(text) {
				if bytes.IndexByte(text, 1) >= 0 {
					return
				}
			}
		},
		"bytes": func(text []byte) {
			var grown []byte
			for range text[:len(text)/16] {
				grown = append(make([]byte, 0, len(grown)+16), grown...)[:len(grown)+16]
			}
		},
	} {
		var inner testing.T
		Check(&inner, 4_000, build, work)
		if !inner.Failed() {
			t.Errorf("%s: grows with the square, and passes", name)
		}
	}
}
