package mapreduce_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// watched returns the errors of two watched plans, one run by RunLocal and one by the engine.
func watched(t *testing.T, bind func() (*Plan, error)) (local, engine error) {
	t.Helper()
	debug := func() *Plan {
		p := must(bind())(t)
		p.Debug(DebugOptions{})
		return p
	}
	_, local = RunLocal(t.Context(), debug(), LocalOptions{})
	return local, new(engineRun).run(t.Context(), debug())
}

// misused is a correct job over bytes, in which a test replaces one user function by a wrong one.
type misused struct {
	mapper  Mapper[[]byte, []byte, []byte]
	reduce  func(key []byte, values iter.Seq[[]byte], emit func(Pair[[]byte, []byte])) error
	combine func(a, b []byte) []byte
	begin   func() // called before each run
}

func (m misused) bind(out Output[Pair[[]byte, []byte]]) (*Plan, error) {
	if m.begin != nil {
		m.begin()
	}
	if m.mapper.Map == nil {
		m.mapper.Map = func(line []byte, emit func(k, v []byte)) error {
			emit(line[:1], line[1:])
			return nil
		}
	}
	if m.reduce == nil {
		m.reduce = func(key []byte, values iter.Seq[[]byte], emit func(Pair[[]byte, []byte])) error {
			for v := range values {
				emit(MakePair(key, v))
			}
			return nil
		}
	}
	return Job[[]byte, []byte, []byte, Pair[[]byte, []byte]]{
		MapTask: func(*Task) (Mapper[[]byte, []byte, []byte], error) { return m.mapper, nil },
		Reduce:  m.reduce, Combine: m.combine, Reducers: 2,
	}.Bind(Lines(textOf("a1\nb2\na3\nc4\na5\n")), out)
}

// check requires that a watched plan fails with all texts of says, in RunLocal and on the engine;
// without says it must succeed.
func (m misused) check(t *testing.T, says ...string) {
	t.Helper()
	local, engine := watched(t, func() (*Plan, error) {
		return m.bind(Text[Pair[[]byte, []byte]](Writer("w", io.Discard)))
	})
	for _, err := range []error{local, engine} {
		if len(says) == 0 {
			require.NoError(t, err)
			continue
		}
		for _, text := range says {
			require.ErrorContains(t, err, text)
		}
		require.True(t, fault.IsPermanent(err), "%v would be tried again", err)
	}
}

// written returns what the job writes in RunLocal, watched or not.
func (m misused) written(t *testing.T, debug bool) string {
	var out bytes.Buffer
	p := must(m.bind(Text[Pair[[]byte, []byte]](Writer("w", &out))))(t)
	if debug {
		p.Debug(DebugOptions{})
	}
	must(RunLocal(context.Background(), p, LocalOptions{}))(t)
	return out.String()
}

// Watched jobs may do all that the documentation allows, and write the same as unwatched ones.
func TestDebugOfRight(t *testing.T) {
	right := misused{}
	right.check(t)
	require.Equal(t, right.written(t, false), right.written(t, true))
	keeps := misused{reduce: func(key []byte, values iter.Seq[[]byte], emit func(Pair[[]byte, []byte])) error {
		var first, last []byte
		for v := range values {
			if first == nil {
				first = bytes.Clone(v)
			}
			last = v // valid until Reduce returns, since no value follows
		}
		emit(MakePair(key, first))
		emit(MakePair(key, last))
		return nil
	}}
	keeps.check(t)
	require.Equal(t, keeps.written(t, false), keeps.written(t, true))
	sums := misused{combine: func(a, b []byte) []byte {
		a[0] = max(a[0], b[0]) // Combine may change its arguments
		return a
	}}
	sums.check(t)
	require.Equal(t, sums.written(t, false), sums.written(t, true))
}

// Emitting bytes after their lifetime is an error that says where they came from.
func TestDebugOfKeptBytes(t *testing.T) {
	var kept []byte
	misused{mapper: Mapper[[]byte, []byte, []byte]{
		Map: func(line []byte, emit func(k, v []byte)) error {
			if kept != nil {
				emit(kept[:1], line)
			}
			kept = line
			return nil
		},
	}, begin: func() { kept = nil }}.check(t, "Map emitted bytes of a record of an earlier call (mapreduce/debug_test.go:", "bytes.Clone")
	misused{mapper: Mapper[[]byte, []byte, []byte]{
		Map:   func(line []byte, _ func(k, v []byte)) error { kept = line; return nil },
		Close: func(emit func(k, v []byte)) error { emit(kept, nil); return nil },
	}}.check(t, "Close emitted bytes of a record of an earlier call")
	misused{reduce: func(key []byte, values iter.Seq[[]byte], emit func(Pair[[]byte, []byte])) error {
		var first []byte
		for v := range values {
			if first == nil {
				first = v
			}
		}
		emit(MakePair(key, first))
		return nil
	}}.check(t, "Reduce emitted bytes of a value whose place another one has taken")
	var before []byte
	misused{reduce: func(key []byte, _ iter.Seq[[]byte], emit func(Pair[[]byte, []byte])) error {
		if before != nil {
			emit(MakePair(before, key))
		}
		before = key
		return nil
	}, begin: func() { before = nil }}.check(t, "Reduce emitted bytes of a key of an earlier call")
}

// Bytes that user code keeps too long are overwritten, so that late copies do not look like data.
func TestDebugPoisons(t *testing.T) {
	var kept [][]byte
	late := misused{reduce: func(key []byte, values iter.Seq[[]byte], emit func(Pair[[]byte, []byte])) error {
		var all [][]byte
		for v := range values {
			all = append(all, v)
		}
		emit(MakePair(key, bytes.Join(all, nil)))
		kept = append(kept, key)
		return nil
	}}
	require.Equal(t, "a\t135\nb\t2\nc\t4\n", late.written(t, false))
	kept = nil
	require.Equal(t, "a\t\xdb\xdb5\nb\t2\nc\t4\n", late.written(t, true))
	require.Equal(t, []byte{memory.Poison}, kept[0])
}

func TestDebugOfChangedRecord(t *testing.T) {
	misused{mapper: Mapper[[]byte, []byte, []byte]{Map: func(line []byte, emit func(k, v []byte)) error {
		line[0] = 'x'
		emit(line, nil)
		return nil
	}}}.check(t, "Map changed its record")
}

// elsewhere calls f in another goroutine and waits for it.
func elsewhere(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// Calling emit from another goroutine, or after the call that got it, is an error.
func TestDebugOfEmit(t *testing.T) {
	const foreign, late = "emit was called from another goroutine than that of ", "emit was called after the "
	during := func(line []byte, emit func(k, v []byte)) error {
		elsewhere(func() { emit(line, nil) })
		return nil
	}
	misused{mapper: Mapper[[]byte, []byte, []byte]{Map: during}}.check(t, foreign+"Map (mapreduce/debug_test.go:")
	var kept []func(k, v []byte)
	misused{mapper: Mapper[[]byte, []byte, []byte]{Map: func(line []byte, emit func(k, v []byte)) error {
		kept = append(kept, emit)
		elsewhere(func() { kept[0](line, nil) })
		return nil
	}}, begin: func() { kept = nil }}.check(t, "emit was called ")
	misused{mapper: Mapper[[]byte, []byte, []byte]{
		Map:   func(_ []byte, emit func(k, v []byte)) error { kept = append(kept, emit); return nil },
		Close: func(func(k, v []byte)) error { elsewhere(func() { kept[0](nil, nil) }); return nil },
	}, begin: func() { kept = nil }}.check(t, late+"Map that it was given to had returned (mapreduce/debug_test.go:")
	misused{reduce: func(key []byte, _ iter.Seq[[]byte], emit func(Pair[[]byte, []byte])) error {
		elsewhere(func() { emit(MakePair(key, key)) })
		return nil
	}}.check(t, foreign+"Reduce (mapreduce/debug_test.go:")
	_, err := RunLocal(context.Background(), debugged(t, func(n int, emit func(int)) error {
		elsewhere(func() { emit(n) })
		return nil
	}), LocalOptions{})
	require.ErrorContains(t, err, foreign+"Map")
}

// debugged returns a watched plan of a map-only job with this map, over three records.
func debugged(t *testing.T, m func(int, func(int)) error) *Plan {
	p := must(MapOnly[int, int]{Map: m}.Bind(Slice([]int{1, 2, 3}), unread[int]()))(t)
	p.Debug(DebugOptions{})
	return p
}

// An emit after a job's last call, but before the commit, makes the commit fail. After the commit
// it panics.
func TestDebugOfEmitAtTheEnd(t *testing.T) {
	var kept func(int)
	keep := func(_ int, emit func(int)) error { kept = emit; return nil }
	p := debugged(t, keep)
	must(RunLocal(context.Background(), p, LocalOptions{}))(t)
	require.Panics(t, func() { kept(1) })

	p = debugged(t, keep)
	begun(t, p, nil)
	out := must(p.RunMap(context.Background(), &cluster.MapAttempt{Split: cluster.Split{Length: 3}}))(t)
	out.Release()
	elsewhere(func() { kept(1) })
	require.ErrorContains(t, p.CommitJob(), "emit was called after the Map")
	require.NoError(t, p.AbortJob())
}

// Each law of Combine that is broken has an error of its own, with the values that show it.
func TestDebugOfCombine(t *testing.T) {
	n := byte(0)
	misused{combine: func(a, _ []byte) []byte {
		n++
		return append(slices.Clip(a), n)
	}}.check(t, `Combine is no function of its arguments: Combine("`)
	misused{combine: func(a, _ []byte) []byte { return a }}.
		check(t, `Combine is not commutative: with a = "1" and b = "3", Combine(a, b) is "1", Combine(b, a) is "3"`)
	misused{combine: func(a, b []byte) []byte { return []byte{(a[0] + b[0]) / 2} }}.
		check(t, `Combine is not associative: with a = "1", b = "3" and c = "5", Combine(Combine(a, b), c) is "3", `+
			`Combine(a, Combine(b, c)) is "2"`)
}

// A sum of floats passes as Combine with the option Within, and fails without it.
func TestDebugOfFloats(t *testing.T) {
	for within, fails := range map[float64]bool{0: true, 1e-12: false} {
		p := must(Job[float64, string, float64, Pair[string, float64]]{
			Map:     func(x float64, emit func(string, float64)) error { emit("sum", x); return nil },
			Combine: func(a, b float64) float64 { return a + b },
		}.Bind(Slice([]float64{0.1, 0.2, 0.3, 0.4, 0.7}), unread[Pair[string, float64]]()))(t)
		p.Debug(DebugOptions{Within: within})
		_, err := RunLocal(context.Background(), p, LocalOptions{})
		require.Equal(t, fails, err != nil, "%v", err)
	}
}

// Interrupt is called before each record and group, and before Close; its error ends the attempt.
func TestInterrupts(t *testing.T) {
	stop := errors.New("stop")
	for at, want := range []int{3: 2, 4: 3, 5: 3} { // before the last of three records, before the end, never
		if want == 0 {
			continue
		}
		calls := 0
		p := debugged(t, func(int, func(int)) error { calls++; return nil })
		var asked []string
		p.Debug(DebugOptions{Interrupt: func(id AttemptID, n int64) error {
			asked = append(asked, id.String())
			if n == int64(at) {
				return stop
			}
			return nil
		}})
		_, err := RunLocal(context.Background(), p, LocalOptions{})
		require.Equal(t, at < 5, errors.Is(err, stop))
		require.Equal(t, want, calls)
		require.Equal(t, strings.Repeat("m-00000-0 ", min(at, 4)), strings.Join(asked, " ")+" ")
	}
}
