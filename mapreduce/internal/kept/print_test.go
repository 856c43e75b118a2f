package kept

import (
	"bytes"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Fingerprints cover everything except the last bits of floats, wherever these are.
func TestFingerprints(t *testing.T) {
	type deep struct {
		Name string
		At   [2]struct{ V []float32 }
		n    int
	}
	of := func(list ...deep) fingerprint {
		form, err := NewForm[deep]()
		require.NoError(t, err)
		p := newPrinter(form)
		encode := form.Appender()
		for _, d := range list {
			b, err := encode(nil, unsafe.Pointer(&d))
			require.NoError(t, err)
			require.NoError(t, p.run(b))
		}
		return p.print()
	}
	at := func(v ...float32) [2]struct{ V []float32 } { return [2]struct{ V []float32 }{{v}, {}} }
	one := of(deep{"a", at(1, 2), 3}, deep{"b", at(5), 3})
	require.True(t, one.equal(of(deep{"a", at(1, 2), 3}, deep{"b", at(5), 3})))
	for _, other := range []fingerprint{
		of(deep{"a", at(1, 2), 3}),
		of(deep{"a", at(1, 2), 3}, deep{"c", at(5), 3}),
		of(deep{"a", at(2, 1), 3}, deep{"b", at(5), 3}),
		of(deep{"a", at(1, 2.0001), 3}, deep{"b", at(5), 3}),
		of(deep{"a", at(1, 2), 4}, deep{"b", at(5), 3}),
		of(deep{"a", at(1), 3}, deep{"b", at(2, 5), 3}),
		of(deep{"a", at(float32(math.NaN()), 2), 3}, deep{"b", at(5), 3}),
	} {
		require.False(t, one.equal(other))
	}
	nan := of(deep{"a", at(float32(math.NaN())), 3})
	require.True(t, nan.equal(of(deep{"a", at(float32(math.NaN())), 3})))
}

// A fingerprint does not depend on the pieces in which records were written.
func TestFingerprintsAreOfTheRecords(t *testing.T) {
	type place struct {
		N    int32
		X, Y float64
	}
	form, err := NewForm[place]()
	require.NoError(t, err)
	var run []byte
	encode := form.Appender()
	for i := range 2000 {
		x := float64(i) / 3
		if i%100 == 7 {
			x = math.Inf(1)
		}
		run, err = encode(run, unsafe.Pointer(&place{int32(i), x, -x}))
		require.NoError(t, err)
	}
	at := func(step int, b []byte) fingerprint {
		p := newPrinter(form)
		require.NotNil(t, p.places)
		for from := 0; from < len(b); from += step * form.Size {
			require.NoError(t, p.run(b[from:min(len(b), from+step*form.Size)]))
		}
		return p.print()
	}
	whole := at(2000, run)
	for _, step := range []int{1, 7, 341, 342, 1000} {
		require.True(t, whole.equal(at(step, run)), "%d at a time", step)
	}
	swapped := bytes.Clone(run)
	copy(swapped[8:16], run[form.Size+8:][:8])
	copy(swapped[form.Size+8:][:8], run[8:16])
	require.False(t, whole.equal(at(2000, swapped)), "two floats have changed places")
}
