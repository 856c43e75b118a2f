package kept

import (
	"fmt"
	"math/big"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// flatRecord has a field of each kind that is kept in its memory layout.
type flatRecord struct {
	On     bool
	N      int64
	Name   string
	Within struct {
		Small uint8
		List  []int32
	}
	Places []struct{ X, Y float64 }
	Bytes  []byte
	Last   [3]int16
}

func drawFlat(t *rapid.T) (r flatRecord) {
	r.On, r.N, r.Name = rapid.Bool().Draw(t, "on"), rapid.Int64().Draw(t, "n"), rapid.String().Draw(t, "name")
	r.Within.Small, r.Within.List = rapid.Uint8().Draw(t, "small"), rapid.SliceOf(rapid.Int32()).Draw(t, "list")
	for range rapid.SampledFrom([]int{0, 1, 2, 40}).Draw(t, "places") {
		r.Places = append(r.Places, struct{ X, Y float64 }{rapid.Float64().Draw(t, "x"), 1})
	}
	r.Bytes, r.Last[1] = rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"), rapid.Int16().Draw(t, "last")
	return r
}

// Records are unchanged, wherever they are cut and spilled, and own what they point to: a user may
// keep and change the slices of one without an effect on others.
func TestFlatRecordsAreWhatWasWritten(t *testing.T) {
	form, err := NewForm[flatRecord]()
	require.NoError(t, err)
	require.NotNil(t, form.flat)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(drawFlat), 1, 20).Draw(t, "records")
		var run []byte
		encode := form.Appender()
		for _, rec := range list {
			run, err = encode(run, unsafe.Pointer(&rec))
			require.NoError(t, err)
		}
		var got []flatRecord
		require.NoError(t, form.Each(run, func(rec flatRecord, _ []byte) error {
			got = append(got, rec)
			return nil
		}))
		require.Equal(t, fmt.Sprintf("%+v", list), fmt.Sprintf("%+v", got))
		changed := rapid.IntRange(0, len(list)-1).Draw(t, "changed")
		got[changed].Within.List = append(got[changed].Within.List, 1, 2, 3)
		for i := range got[changed].Within.List {
			got[changed].Within.List[i]++
		}
		for i := range got[changed].Places {
			got[changed].Places[i].X--
		}
		for i := range got {
			if i != changed {
				require.Equal(t, fmt.Sprintf("%+v", list[i]), fmt.Sprintf("%+v", got[i]))
			}
		}
	})
}

// A record with its own encoding, or with other pointers, is encoded as values are.
func TestWhatIsNotFlat(t *testing.T) {
	for _, of := range []reflect.Type{
		reflect.TypeFor[time.Time](), reflect.TypeFor[struct{ T time.Time }](), reflect.TypeFor[struct{ X *big.Int }](),
		reflect.TypeFor[struct{ Names []string }](), reflect.TypeFor[struct{ Lists [][]int }](), reflect.TypeFor[struct{ Times []time.Time }](),
		reflect.TypeFor[struct {
			List []padded
		}](), reflect.TypeFor[struct {
			A [2]string
		}](),
	} {
		_, ok := flatOf(nil, of, 0)
		require.False(t, ok, of)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[[]int](), reflect.TypeFor[struct {
		B bool
		N int
		L []uint8
	}]()} {
		_, ok := flatOf(nil, of, 0)
		require.True(t, ok, of)
	}
	form, err := NewForm[string]()
	require.NoError(t, err)
	require.Nil(t, form.flat, "its bytes are its encoding")
}

// Damaged bytes are an error or another record.
func FuzzFlatRecords(f *testing.F) {
	form, err := NewForm[flatRecord]()
	require.NoError(f, err)
	var rec flatRecord
	rec.Name, rec.Within.List, rec.Bytes = "name", []int32{1, 2}, []byte("bytes")
	f.Add(appendFlat(nil, form.flat, unsafe.Pointer(&rec)))
	f.Add([]byte{})
	aligned, err := appendAligned(nil, form.flat, unsafe.Pointer(&rec))
	require.NoError(f, err)
	f.Add(aligned)
	f.Fuzz(func(t *testing.T, b []byte) {
		aligned := flatReader{fields: form.flat, aligned: true}
		_ = aligned.read(b, unsafe.Pointer(new(flatRecord))) // no panic
		var got flatRecord
		r := flatReader{fields: form.flat}
		if r.read(b, unsafe.Pointer(&got)) != nil {
			return
		}
		again, was := flatRecord{}, fmt.Sprintf("%+v", got)
		require.NoError(t, r.read(appendFlat(nil, form.flat, unsafe.Pointer(&got)), unsafe.Pointer(&again)))
		require.Equal(t, was, fmt.Sprintf("%+v", again))
	})
}
