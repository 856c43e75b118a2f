package kept

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Types of records of fixed size: imaged has no padding between its fields, padded has.
type (
	imaged struct {
		X, Y float64
		N    int64
	}
	padded struct {
		B bool
		N int64
	}
)

// Records without pointers are kept as images of their memory, and others in frames.
func TestKeptForms(t *testing.T) {
	size := func(f Form) int { return f.Length([]byte{1, 9}) }
	image := must(FormOf(reflect.TypeFor[imaged]()))(t)
	require.Equal(t, 24, size(image))
	require.Equal(t, 16, size(must(FormOf(reflect.TypeFor[padded]()))(t)))
	require.Equal(t, 8, size(must(FormOf(reflect.TypeFor[struct{ A, _ int32 }]()))(t)))
	_, err := FormOf(reflect.TypeFor[*int]())
	require.ErrorIs(t, err, codec.ErrUnsupportedType)
}

// The bytes between the fields of an image are set to 0, so that equal records have equal images.
func TestGapsAreZero(t *testing.T) {
	form := must(FormOf(reflect.TypeFor[[3]padded]()))(t)
	require.Equal(t, []span{{1, 8}, {17, 24}, {33, 40}}, form.gaps)
	rec := [3]padded{{true, -1}, {true, -1}, {true, -1}}
	for i := range rec {
		clean := memory.Of(&rec[i]).Memory(memory.SizeOf[padded]())
		copy(clean[1:8], "garbage")
	}
	b := must(form.Appender()(nil, memory.Of(&rec)))(t)
	for i := range rec {
		require.Equal(t, append([]byte{1}, make([]byte, 7)...), b[16*i:16*i+8])
	}
}

// flatRecord has a field of each kind that is kept as it is in memory.
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

// Records read back are the records written, wherever runs are cut and spilled. A user may keep and
// change the slices of one without an effect on others.
func TestFlatRecordsAreWhatWasWritten(t *testing.T) {
	form := must(FormOf(reflect.TypeFor[flatRecord]()))(t)
	require.NotNil(t, form.flat)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(drawFlat), 1, 20).Draw(t, "records")
		var run []byte
		encode := form.Appender()
		for _, rec := range list {
			run = must(encode(run, memory.Of(&rec)))(t)
		}
		var got []flatRecord
		require.NoError(t, Each(&form, run, func(rec flatRecord, _ []byte) error {
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

// Records with an encoding of their own, or with pointers other than flat ones, are encoded.
func TestWhatIsNotFlat(t *testing.T) {
	for _, of := range []reflect.Type{
		reflect.TypeFor[time.Time](), reflect.TypeFor[struct{ T time.Time }](), reflect.TypeFor[struct{ X *big.Int }](),
		reflect.TypeFor[struct{ Names []string }](), reflect.TypeFor[struct{ Lists [][]int }](), reflect.TypeFor[struct{ Times []time.Time }](),
		reflect.TypeFor[struct {
			List []padded
		}](),
	} {
		_, ok := flatOf(of)
		require.False(t, ok, of)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[[]int](), reflect.TypeFor[struct {
		B bool
		N int
		L []uint8
		A [2]string
	}]()} {
		_, ok := flatOf(of)
		require.True(t, ok, of)
	}
	form := must(FormOf(reflect.TypeFor[string]()))(t)
	require.Nil(t, form.flat, "its bytes are its encoding")
}

// Damaged bytes decode to an error or to another record, without a panic.
func FuzzFlatRecords(f *testing.F) {
	form := must(FormOf(reflect.TypeFor[flatRecord]()))(f)
	var rec flatRecord
	rec.Name, rec.Within.List, rec.Bytes = "name", []int32{1, 2}, []byte("bytes")
	f.Add(appendFlat(nil, 0, form.flat, memory.Of(&rec), false))
	f.Add([]byte{})
	aligned := must(appendAligned(nil, form.flat, memory.Of(&rec)))(f)
	f.Add(aligned)
	f.Fuzz(func(t *testing.T, b []byte) {
		aligned := flatReader{fields: form.flat, aligned: true}
		_ = aligned.read(b, memory.Of(new(flatRecord))) // no panic
		var got flatRecord
		r := flatReader{fields: form.flat}
		if r.read(b, memory.Of(&got)) != nil {
			return
		}
		again, was := flatRecord{}, fmt.Sprintf("%+v", got)
		require.NoError(t, r.read(appendFlat(nil, 0, form.flat, memory.Of(&got), false), memory.Of(&again)))
		require.Equal(t, was, fmt.Sprintf("%+v", again))
	})
}

// A fingerprint depends on all of a record but the last bits of floats, at any depth.
func TestFingerprints(t *testing.T) {
	type deep struct {
		Name string
		At   [2]struct{ V []float32 }
		n    int
	}
	of := func(list ...deep) fingerprint {
		form := must(FormOf(reflect.TypeFor[deep]()))(t)
		p := newPrinter(&form)
		encode := form.Appender()
		for _, d := range list {
			b := must(encode(nil, memory.Of(&d)))(t)
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

// A fingerprint depends on the records, not on the pieces in which they were written.
func TestFingerprintsAreOfTheRecords(t *testing.T) {
	type place struct {
		N    int32
		X, Y float64
	}
	form := must(FormOf(reflect.TypeFor[place]()))(t)
	var run []byte
	encode := form.Appender()
	for i := range 2000 {
		x := float64(i) / 3
		if i%100 == 7 {
			x = math.Inf(1)
		}
		run = must(encode(run, memory.Of(&place{int32(i), x, -x})))(t)
	}
	at := func(step int, b []byte) fingerprint {
		p := newPrinter(&form)
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

// A late attempt of an ended job neither disturbs the next job nor uses memory it has returned.
func TestLateAttempt(t *testing.T) {
	form := must(FormOf(reflect.TypeFor[int64]()))(t)
	k, root, id := New(Options{}, form, nil), memory.NewBudget(1<<30), attempt.ID{Kind: attempt.Map}
	begin := func() (*output.Committer, io.WriteCloser) {
		o := &filling{k: k}
		c := output.NewCommitter(output.To(o))
		require.NoError(t, c.SetupJob())
		at := c.Part(id)
		at.Tasks, at.Budget = 1, root.Sub()
		w := must(o.Create(at))(t)
		return c, w
	}
	run := make([]byte, 64<<10)
	old, late := begin()
	must(late.Write(run))(t)
	require.NoError(t, old.AbortJob())
	require.Positive(t, root.Used(), "somebody writes")
	c, w := begin()
	must(late.Write(run))(t)
	require.NoError(t, late.Close())
	require.NoError(t, late.Close())
	require.NoError(t, old.AbortTask(id))
	require.NoError(t, old.AbortJob())
	must(w.Write(run[:8]))(t)
	require.NoError(t, w.Close())
	require.ErrorIs(t, old.CommitTask(id), output.ErrEnded)
	require.NoError(t, c.CommitTask(id))
	require.NoError(t, c.CommitJob())
	records, bytes, _ := k.Size()
	require.Equal(t, []int64{1, 8}, []int64{records, bytes})
	k.Release()
	require.Zero(t, root.Used())
}

// Once the budget refuses more memory, all records are on disk, and their memory is free.
func TestSpilledRecordsGiveTheirMemoryBack(t *testing.T) {
	before, budget := memory.Mapped(), memory.NewBudget(4<<20)
	pool := memory.NewPool(budget, 1<<20)
	form := must(FormOf(reflect.TypeFor[int64]()))(t)
	d := newData(&Options{Pool: pool, Spills: segment.NewFiles(t.TempDir())}, budget.Sub())
	most := int64(0)
	for d.spill == nil {
		require.NoError(t, d.write(make([]byte, 64<<10), &form))
		most = max(most, d.charged)
	}
	require.Greater(t, most, int64(maxKept))
	require.Equal(t, pool.Idle(), budget.Used())
	pool.Close()
	require.Equal(t, before, memory.Mapped())
	d.Drop()
}

// must returns the result of a call; an error of the call ends the test.
func must[T any](result T, err error) func(t require.TestingT) T {
	return func(t require.TestingT) T { require.NoError(t, err); return result }
}
