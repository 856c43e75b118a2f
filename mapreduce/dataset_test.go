package mapreduce_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

// Records of each form in which datasets keep them: images of memory, and frames of encoded bytes.
type (
	imageRecord struct {
		X, Y float64
		N    int64
	}
	paddedRecord struct {
		B bool
		N int64
	}
	framedRecord struct {
		Name  string
		Bytes []byte
		Path  []float64
	}
)

// keep fills k with the records of in, by RunLocal with blocks of `block` bytes or records.
func keep[T any](t require.TestingT, k *Dataset[T], in Input[T], block int64) {
	plan := must(passOn[T]().Bind(in, k.Output()))(t)
	must(RunLocal(context.Background(), plan, LocalOptions{Blocks: plan.Job().BlocksOf(block)}))(t)
}

// keptIsSlice checks that a dataset returns the records put into it, for any splits and with a
// budget for the memory.
func keptIsSlice[T any](t *rapid.T, gen *rapid.Generator[T]) {
	records := rapid.SliceOfN(gen, 0, 300).Draw(t, "records")
	for range rapid.IntRange(0, 4).Draw(t, "doublings") {
		records = append(records, records...)
	}
	limit := rapid.SampledFrom([]int64{0, 1, 1 << 16, 1 << 20}).Draw(t, "budget")
	block := rapid.Int64Range(1, 200).Draw(t, "block")
	root := cluster.NewMemory(limit)
	k := NewDataset[T](kept.Options{})
	fill := passOn[T]()
	plan := must(fill.Bind(Slice(records), k.Output()))(t)
	require.NoError(t, runAttempts(t, plan, root, plan.Job().BlocksOf(int64(len(records)/3+1))))
	got := must(k.Records())(t)
	require.Equal(t, fmt.Sprintf("%+v", records), fmt.Sprintf("%+v", got))

	var out Collected[T]
	plan = must(fill.Bind(k.Input(), out.Output()))(t)
	require.NoError(t, runAttempts(t, plan, root, plan.Job().BlocksOf(block)))
	got = must(out.Records())(t)
	require.Equal(t, fmt.Sprintf("%+v", records), fmt.Sprintf("%+v", got))
	n, size, spilled := k.Size()
	require.EqualValues(t, len(records), n)
	switch limit {
	case 0:
		require.Zero(t, spilled)
	case 1:
		require.Equal(t, size, spilled)
	}
	k.Release()
	require.Zero(t, root.Used())
}

// runAttempts runs each map of a plan once, each with a sub-budget of root, on the given nodes in
// turn. It commits the job, or aborts it and returns the error.
func runAttempts(t require.TestingT, p *Plan, root *cluster.Memory, blocks func(int) []cluster.Block, nodes ...string) error {
	require.NoError(t, p.Claim())
	for i, split := range begun(t, p, blocks) {
		a := &cluster.MapAttempt{Index: i, Split: split, Resources: cluster.Resources{Budget: root.Sub()}}
		if len(nodes) > 0 {
			a.Host = nodes[i%len(nodes)]
		}
		must(p.RunMap(context.Background(), a))(t)
		require.NoError(t, p.Job().CommitTask(a.ID()))
		a.Budget.Close()
	}
	if err := p.CommitJob(); err != nil {
		return errors.Join(err, p.AbortJob())
	}
	return nil
}

func TestKeptIsWhatWasWritten(t *testing.T) {
	t.Run("images", rapid.MakeCheck(func(t *rapid.T) { keptIsSlice(t, rapid.Make[imageRecord]()) }))
	t.Run("padded", rapid.MakeCheck(func(t *rapid.T) { keptIsSlice(t, rapid.Make[paddedRecord]()) }))
	t.Run("framed", rapid.MakeCheck(func(t *rapid.T) { keptIsSlice(t, rapid.Make[framedRecord]()) }))
	t.Run("none", rapid.MakeCheck(func(t *rapid.T) { keptIsSlice(t, rapid.Just(None{})) }))
}

// A dataset keeps records larger than a block, with a budget and without.
func TestKeptLargeRecords(t *testing.T) {
	records := [][]byte{bytes.Repeat([]byte("a"), 700<<10), {1}, bytes.Repeat([]byte("b"), 300<<10), {}, {2}}
	for _, limit := range []int64{0, 1} {
		k, root := NewDataset[[]byte](kept.Options{}), cluster.NewMemory(limit)
		plan := must(passOn[[]byte]().Bind(Slice(records), k.Output()))(t)
		require.NoError(t, runAttempts(t, plan, root, nil))
		require.Equal(t, records, must(k.Records())(t))
		k.Release()
		require.Zero(t, root.Used())
	}
}

// Reading a dataset before it is kept, or after Release, is an error; so is keeping it again.
func TestKeptRelease(t *testing.T) {
	k := NewDataset[int](kept.Options{Name: "numbers"})
	_, err := passOn[int]().Bind(k.Input(), unread[int]())
	require.ErrorIs(t, err, output.ErrNotCollected)
	require.ErrorContains(t, err, "numbers")
	empty := NewKeyedDataset(kept.Options{}, func(n int) int { return n })
	_, err = passOn[Group[int, int, int]]().Bind(Grouped(empty.Feed(), empty.Feed()), unread[Group[int, int, int]]())
	require.ErrorIs(t, err, output.ErrNotCollected)
	keep(t, k, Slice([]int{1, 2, 3}), 9)
	begins := must(passOn[int]().Bind(k.Input(), unread[int]()))(t)
	k.Release()
	require.ErrorIs(t, begins.SetupJob(), kept.ErrReleased)
	require.ErrorIs(t, errorOf(k.Records()), kept.ErrReleased)
	again := must(passOn[int]().Bind(Slice([]int{1}), k.Output()))(t)
	require.ErrorIs(t, again.SetupJob(), output.ErrDestinationUsed)
}

// Attempts that fail, are aborted or lose the commit leave nothing in the dataset. After a failed
// job another job can fill it.
func TestKeptAttemptsLeaveNothing(t *testing.T) {
	k, root := NewDataset[int](kept.Options{}), cluster.NewMemory(1<<30)
	broken := errors.New("broken")
	job := MapOnly[int, int]{Map: func(n int, emit func(int)) error { emit(n); return map[bool]error{true: broken}[n == 1] }}
	plan := must(job.Bind(Slice([]int{0, 1}), k.Output()))(t)
	require.NoError(t, plan.SetupJob())
	splits := must(plan.Splits(t.Context(), plan.Job().BlocksOf(1)))(t)
	run := func(task, try int) (AttemptID, error) {
		a := &cluster.MapAttempt{Index: task, Try: try, Split: splits[task], Resources: cluster.Resources{Budget: root.Sub()}}
		_, err := plan.RunMap(t.Context(), a)
		return a.ID(), err
	}
	first := must(run(0, 0))(t)
	second := must(run(0, 1))(t)
	require.NoError(t, plan.Job().CommitTask(first))
	used := root.Used()
	require.ErrorIs(t, plan.Job().CommitTask(second), cluster.ErrCommitted)
	require.NoError(t, plan.Job().AbortTask(second))
	require.Equal(t, used/2, root.Used())
	bad, err := run(1, 0)
	require.ErrorIs(t, err, broken)
	require.NoError(t, plan.Job().AbortTask(bad))
	require.Equal(t, used/2, root.Used())
	require.NoError(t, plan.AbortJob())
	require.Zero(t, root.Used())
	keep(t, k, Slice([]int{7}), 1)
	require.Equal(t, []int{7}, must(k.Records())(t))
}

// If a node is lost, a rerun of the same job recomputes exactly its parts. A rerun that returns
// other records is an error.
func TestKeptAgain(t *testing.T) {
	k, root := NewDataset[imageRecord](kept.Options{Name: "points"}), cluster.NewMemory(1<<30)
	move, less := 0.0, 0
	run := func(out Output[imageRecord], block int64, nodes ...string) error {
		plan := must(MapOnly[int, imageRecord]{Map: func(n int, emit func(imageRecord)) error {
			if n >= less {
				emit(imageRecord{float64(n) + move, 1, int64(n)})
			}
			return nil
		}}.Bind(Slice([]int{0, 1, 2, 3, 4, 5, 6, 7}), out))(t)
		return runAttempts(t, plan, root, plan.Job().BlocksOf(block), nodes...)
	}
	require.NoError(t, run(k.Output(), 2, "node 0", "node 1"))
	used := root.Used()
	want := must(k.Records())(t)
	require.Equal(t, []string{"node 0", "node 1", "node 0", "node 1"}, k.Hosts())

	k.Lose("node 1")
	require.Equal(t, []int{1, 3}, k.Lost())
	require.Equal(t, used/2, root.Used())
	_, err := k.Records()
	require.ErrorIs(t, err, kept.ErrPartLost)
	require.ErrorContains(t, err, "points, part 1, on node 1")
	for _, wrong := range []func(){func() { less = 1 }, func() { move = 1e-3 }, func() { move = math.NaN() }} {
		wrong()
		err := run(k.RerunOutput(), 2, "node 2")
		require.ErrorIs(t, err, kept.ErrOtherData)
		require.ErrorContains(t, err, "points, part 0 has 2 records, made again")
		require.Equal(t, used/2, root.Used())
		less, move = 0, 0
	}
	require.ErrorContains(t, run(k.RerunOutput(), 4, "node 2"), "has 4 parts, made again it has 2")
	move = 1e-15 // a difference as from another order of addition
	require.NoError(t, run(k.RerunOutput(), 2, "node 2"))
	require.Empty(t, k.Lost())
	require.Equal(t, used, root.Used())
	require.Equal(t, []string{"node 0", "node 2", "node 0", "node 2"}, k.Hosts())
	got := must(k.Records())(t)
	for i := range want {
		require.InDelta(t, want[i].X, got[i].X, 1e-9)
		require.Equal(t, want[i].N, got[i].N)
	}
	k.Release()
	require.Zero(t, root.Used())
}

// If a node dies while a part is written to it, the part counts as lost, in a rerun, too.
func TestKeptLostWhileWritten(t *testing.T) {
	k, root := NewDataset[int](kept.Options{}), cluster.NewMemory(1<<30)
	run := func(out Output[int], lose string) {
		plan := must(MapOnly[int, int]{Map: func(n int, emit func(int)) error {
			if emit(n); n == 2 {
				k.Lose(lose)
			}
			return nil
		}}.Bind(Slice([]int{1, 2}), out))(t)
		require.NoError(t, runAttempts(t, plan, root, plan.Job().BlocksOf(1), "node 0", "node 1"))
	}
	run(k.Output(), "node 1")
	require.Equal(t, []int{1}, k.Lost())
	run(k.RerunOutput(), "node 1")
	require.Equal(t, []int{1}, k.Lost())
	run(k.RerunOutput(), "node 9")
	require.Empty(t, k.Lost())
	require.Equal(t, []int{1, 2}, must(k.Records())(t))
	k.Release()
	require.Zero(t, root.Used())
}

// A part with a damaged spill is lost: reading it is an error, and never returns wrong records.
func TestKeptDamage(t *testing.T) {
	f := must(os.CreateTemp(t.TempDir(), ""))(t)
	k := NewDataset[int](kept.Options{Spills: cluster.NewSpillsOn(func() (cluster.SpillFile, error) { return f, nil })})
	plan := must(passOn[int]().Bind(Slice([]int{1, 2, 3}), k.Output()))(t)
	require.NoError(t, runAttempts(t, plan, cluster.NewMemory(1), nil))
	must(f.WriteAt([]byte{9}, 8))(t)
	err := ran(passOn[int]().Bind(k.Input(), unread[int]()))
	require.ErrorIs(t, err, kept.ErrPartLost)
	require.ErrorContains(t, err, "wrong checksum")
	require.True(t, fault.IsPermanent(err))
	require.Equal(t, []int{0}, k.Lost())
}

// A changed bit in a map's spill makes the reduce that reads it fail with an error that says so,
// with Combine and without. The reduce's result is not taken, although its group has ended.
func TestDamagedSpillsFailTheReduce(t *testing.T) {
	var text strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&text, "word%d\n", i*7919%20_011)
	}
	for _, combine := range []bool{false, true} {
		var files []*os.File
		res := cluster.Resources{Budget: cluster.NewMemory(1).Sub(), Spills: cluster.NewSpillsOn(func() (cluster.SpillFile, error) {
			f, err := os.CreateTemp(t.TempDir(), "")
			files = append(files, f)
			return f, err
		})}
		p := must(wordCount(combine).Bind(Lines(textOf(text.String())), unread[Pair[string, int64]]()))(t)
		out := must(p.RunMap(t.Context(), &cluster.MapAttempt{Split: begun(t, p, nil)[0], Resources: res}))(t)
		for _, f := range files {
			at := must(f.Stat())(t).Size() / 2
			var b [1]byte
			must(f.ReadAt(b[:], at))(t)
			must(f.WriteAt([]byte{b[0] ^ 4}, at))(t)
		}
		err := p.RunReduce(t.Context(), &cluster.ReduceAttempt{Resources: res, Next: sent(0, out)})
		require.ErrorIs(t, err, cluster.ErrDamagedSpill)
		var d *cluster.DamagedOutputError
		require.ErrorAs(t, err, &d)
		require.Equal(t, []int{0}, d.Maps)
		out.Release()
	}
}

// Jobs over datasets have errors that name the record, skip bad records, and can be watched.
func TestKeptRecordsAreWatched(t *testing.T) {
	k := NewDataset[string](kept.Options{Name: "words"})
	keep(t, k, Slice([]string{"good", "bad", "fine"}), 9)
	job := MapOnly[string, string]{Map: func(s string, emit func(string)) error {
		if s == "bad" {
			panic("no")
		}
		emit(s)
		return nil
	}}
	var out Collected[string]
	err := ran(job.Bind(k.Input(), out.Output()))
	require.ErrorContains(t, err, `words, part 0: at byte 5, "\x03bad": panic: no`)
	plan := must(job.Bind(k.Input(), out.Output()))(t)
	_, left := skipping(t, plan, true, 1)
	require.Len(t, left, 1)
	require.Equal(t, []string{"good", "fine"}, must(out.Records())(t))

	b := NewDataset[[]byte](kept.Options{})
	keep(t, b, Slice([][]byte{[]byte("one"), []byte("two")}), 9)
	var last []byte
	kept := must(MapOnly[[]byte, []byte]{Map: func(rec []byte, emit func([]byte)) error {
		if last != nil {
			emit(last)
		}
		last = rec
		return nil
	}}.Bind(b.Input(), unread[[]byte]()))(t)
	kept.Debug(DebugOptions{})
	require.ErrorIs(t, errorOf(RunLocal(t.Context(), kept, LocalOptions{})), watch.ErrKept)
}

func TestKeptWrongType(t *testing.T) {
	_, err := passOn[*int]().Bind(Slice([]*int{nil}), NewDataset[*int](kept.Options{}).Output())
	require.ErrorIs(t, err, codec.ErrUnsupportedType)
}

// Slices in a dataset's records show the dataset's own memory. However records are read, a watched
// job that keeps or modifies such a slice gets an error.
func TestViewsOfKeptRecordsAreLent(t *testing.T) {
	var pages []linkedPage
	for i := range int32(3) {
		pages = append(pages, linkedPage{Number: i, Links: []int32{i, 7, 8}, Name: []byte{}})
	}
	k := keepPages(t, pages)
	type group = Group[int32, linkedPage, linkedPage]
	var last []int32
	for how, use := range map[error]func(links []int32, emit func([]int32)){
		watch.ErrKept: func(links []int32, emit func([]int32)) {
			if last != nil {
				emit(last)
			}
			last = links
		},
		watch.ErrRecordChanged: func(links []int32, _ func([]int32)) { slices.Reverse(links) },
		nil:                    func(links []int32, emit func([]int32)) { emit(links) },
	} {
		for name, bind := range map[string]func(Output[[]int32]) (*Plan, error){
			"records": MapOnly[linkedPage, []int32]{Map: func(p linkedPage, emit func([]int32)) error {
				use(p.Links, emit)
				return nil
			}}.Over(k.Input()),
			"groups, left": MapOnly[group, []int32]{Map: func(g group, emit func([]int32)) error {
				use(g.Left[0].Links, emit)
				return nil
			}}.Over(Grouped(k.Feed(), k.Feed())),
			"groups, right": MapOnly[group, []int32]{Map: func(g group, emit func([]int32)) error {
				use(g.Right[0].Links, emit)
				return nil
			}}.Over(Grouped(k.Feed(), k.Feed())),
		} {
			last = nil
			var out Collected[[]int32]
			plan := must(bind(out.Output()))(t)
			plan.Debug(DebugOptions{})
			require.ErrorIs(t, errorOf(RunLocal(t.Context(), plan, LocalOptions{})), how, name)
			if how == nil {
				got := must(out.Records())(t)
				require.Equal(t, [][]int32{{0, 7, 8}, {1, 7, 8}, {2, 7, 8}}, got, name)
			}
		}
	}
	require.Equal(t, pages, must(k.Records())(t))
}
