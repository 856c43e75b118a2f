package mapreduce

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

// flatRecord has fields of each kind that is kept as it lies in memory.
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

// Records are what they were, wherever they are cut and spilled, and what they point to is theirs: a
// user may keep and change the slices of one and finds the others as they are.
func TestFlatRecordsAreWhatWasWritten(t *testing.T) {
	form, err := newKeptForm[flatRecord]()
	require.NoError(t, err)
	require.NotNil(t, form.flat)
	rapid.Check(t, func(t *rapid.T) { keptIsSlice(t, rapid.Custom(drawFlat)) })
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(drawFlat), 1, 20).Draw(t, "records")
		var run []byte
		encode := form.encoder()
		for _, rec := range list {
			run, err = encode(run, rec)
			require.NoError(t, err)
		}
		var got []flatRecord
		require.NoError(t, form.each(run, func(rec flatRecord, _ []byte) error {
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

// What has a form of its own, or points elsewhere, is encoded as values are.
func TestWhatIsNotFlat(t *testing.T) {
	for _, of := range []reflect.Type{
		reflect.TypeFor[time.Time](), reflect.TypeFor[struct{ T time.Time }](), reflect.TypeFor[struct{ X *big.Int }](),
		reflect.TypeFor[struct{ Names []string }](), reflect.TypeFor[struct{ Lists [][]int }](), reflect.TypeFor[struct{ Times []time.Time }](),
		reflect.TypeFor[struct {
			List []paddedRecord
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
	form, err := newKeptForm[string]()
	require.NoError(t, err)
	require.Nil(t, form.flat, "its bytes are its encoding")
}

// Damaged bytes are an error or another record, and nothing else.
func FuzzFlatRecords(f *testing.F) {
	form, err := newKeptForm[flatRecord]()
	require.NoError(f, err)
	var rec flatRecord
	rec.Name, rec.Within.List, rec.Bytes = "name", []int32{1, 2}, []byte("bytes")
	f.Add(appendFlat(nil, form.flat, unsafe.Pointer(&rec)))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
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

// Records of numbers and slices of numbers that are lent are read as all others are, also many at once,
// and what is damaged is an error in either way.
func TestManyRecordsAtOnce(t *testing.T) {
	type record struct {
		N     int32
		Small []int32
		Large []float64
		Last  uint64
		Bytes [3]int8
	}
	type numbers struct {
		N    int32
		List []int32
		M    uint64
		More []float64
	}
	rapid.Check(t, func(t *rapid.T) {
		manyAreEach(t, func(i int, small []int32, large []float64) record {
			return record{int32(i), small, large, uint64(i) << 40, [3]int8{1, 2, int8(i)}}
		})
		manyAreEach(t, func(i int, small []int32, large []float64) numbers {
			return numbers{int32(i), small, uint64(i) << 40, large}
		})
	})
}

func manyAreEach[T any](t *rapid.T, newRecord func(i int, small []int32, large []float64) T) {
	form, err := newKeptForm[T]()
	require.NoError(t, err)
	require.True(t, form.aligned)
	form.lent = rapid.Bool().Draw(t, "lent")
	run := make([]byte, 0, 1<<16) // aligned
	encode := form.encoder()
	for i := range rapid.IntRange(0, 20).Draw(t, "records") {
		run, err = encode(run, newRecord(i, rapid.SliceOfN(rapid.Int32(), 0, 5).Draw(t, "small"), rapid.SliceOfN(rapid.Float64(), 0, 5).Draw(t, "large")))
		require.NoError(t, err)
	}
	if n := rapid.IntRange(0, len(run)).Draw(t, "damaged byte"); rapid.Bool().Draw(t, "damaged") && n < len(run) {
		run[n] = rapid.SampledFrom([]byte{0, 1, 8, 16, 255}).Draw(t, "by")
	}
	var want, got []T
	wrong := form.each(run, func(rec T, _ []byte) error {
		want = append(want, rec)
		return nil
	})
	decode, recs, sizes := form.many(), make([]T, 7), make([]int32, 7)
	used := 0
	for used < len(run) {
		read, size, failed := decode(run[used:], recs, sizes)
		got = append(got, recs[:read]...)
		if used += size; failed != nil {
			require.Error(t, wrong)
			wrong = nil
			break
		}
		sum := 0
		for _, n := range sizes[:read] {
			sum += int(n)
		}
		require.Equal(t, size, sum)
	}
	require.NoError(t, wrong)
	require.Equal(t, fmt.Sprint(want), fmt.Sprint(got))
}
