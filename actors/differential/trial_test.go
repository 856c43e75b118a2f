package differential

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
)

// pair is a key and a value that a map emits.
type pair[K, V any] struct {
	key   K
	value V
}

// trial is a job whose output plain Go code can compute.
type trial[K, V any] struct {
	keys    keyKind[K]
	values  valueKind[V]
	shape   *shape[V]       // nil: no Combine
	records [][]pair[K, V]  // for each record, the pairs that its map emits
	spread  []K             // keys at which the job's Partition begins a new partition
	plan    plan            // the forms of the job's functions
	once    []*atomic.Int32 // for each record, the number of attempts that have begun it
	failed  atomic.Bool     // whether a reduce has failed
}

// plan has the properties of a trial that do not depend on its types.
type plan struct {
	mapForm    string // Map or MapTask
	reduceForm string // Reduce, ReduceTask, pairs, stop or none
	order      string // hash, total or partition
	descending bool
	group      int // number of leading key fields that define a group; 0: all
	reduces    int
	reuse      bool   // the map overwrites keys and values after each emit
	trouble    string // none, error, panic, reduce, slow or lost
	local      bool   // RunLocal runs the job
}

// jobOf returns the engine's job for j, without its Reduce.
func jobOf[K, V, O any](j *trial[K, V]) mapreduce.Job[[]byte, K, V, O] {
	job := mapreduce.Job[[]byte, K, V, O]{
		Name: "trial", Reducers: j.plan.reduces, Descending: j.plan.descending, GroupFields: j.plan.group,
		TotalOrder: j.plan.order == "total",
	}
	if j.plan.order == "partition" {
		job.Partition = j.partition
	}
	if j.shape != nil {
		if job.Sum = j.shape.sum; !job.Sum {
			job.Combine = j.shape.fold
		}
	}
	if j.plan.mapForm == "MapTask" {
		job.MapTask = func(*mapreduce.Task) (mapreduce.Mapper[[]byte, K, V], error) { return j.delayed(), nil }
	} else {
		job.Map = j.emit
	}
	return job
}

// delayed returns a Mapper that emits a record's pairs only in the next call of Map, or in Close.
func (j *trial[K, V]) delayed() mapreduce.Mapper[[]byte, K, V] {
	var before []byte
	return mapreduce.Mapper[[]byte, K, V]{
		Map: func(in []byte, emit func(K, V)) (err error) {
			if before != nil {
				err = j.emit(before, emit)
			}
			before = slices.Clone(in)
			return err
		},
		Close: func(emit func(K, V)) error {
			if before == nil {
				return nil
			}
			return j.emit(before, emit)
		},
	}
}

var scratches = sync.Pool{New: func() any { return newScratch() }}

// emit is the trial's map function: it emits the pairs of the record whose index is the text in.
func (j *trial[K, V]) emit(in []byte, emit func(K, V)) error {
	record, err := strconv.Atoi(strings.TrimSpace(string(in)))
	if err != nil {
		return err
	}
	list := j.records[record]
	try := int(j.once[record].Add(1))
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	for i, p := range list {
		if i == len(list)/2 {
			if err := j.trouble(record, try); err != nil {
				return err
			}
		}
		if !j.plan.reuse {
			emit(p.key, j.values.copyOf(p.value))
			continue
		}
		if j.keys.lend != nil {
			p.key = j.keys.lend(s, p.key)
		}
		if j.values.lend != nil {
			p.value = j.values.lend(s, p.value)
		}
		emit(p.key, p.value)
		s.spoil()
	}
	return nil
}

// trouble injects the plan's fault into the first attempts of two records: error, panic or delay.
func (j *trial[K, V]) trouble(record, try int) error {
	if try > 1 || record != len(j.records)/3 && record != len(j.records)-1 {
		return nil
	}
	switch j.plan.trouble {
	case "error":
		return errors.New("an error to be tried again")
	case "panic":
		panic("a panic to be tried again")
	case "slow": // slower than all others, until a speculative attempt begins
		for limit := time.After(2 * time.Hour); ; {
			select {
			case <-limit:
				return nil
			case <-time.After(10 * time.Second):
				if j.once[record].Load() > 1 {
					return nil
				}
			}
		}
	}
	return nil
}

// reducing returns a plan of the trial with the Reduce that plan.reduceForm selects.
func (j *trial[K, V]) reducing(in mapreduce.Input[[]byte], out mapreduce.Output[string]) (*mapreduce.Plan, error) {
	job := jobOf[K, V, string](j)
	switch j.plan.reduceForm {
	case "ReduceTask":
		job.ReduceTask = func(*mapreduce.Task) (mapreduce.Reducer[K, V, string], error) { return j.withheld(), nil }
	case "pairs":
		job.ReduceTask = func(*mapreduce.Task) (mapreduce.Reducer[K, V, string], error) {
			return mapreduce.Reducer[K, V, string]{Pairs: j.reducePairs}, nil
		}
	default:
		job.Reduce = j.reduce
	}
	return job.Bind(in, out)
}

func (j *trial[K, V]) reducePairs(pairs iter.Seq2[K, V], emit func(string)) error {
	key, shown := "", []string(nil)
	for k, v := range pairs {
		if shown == nil {
			key = j.keys.show(k)
		}
		shown = append(shown, j.keys.show(k)+"="+j.values.show(v))
	}
	emit(key + "\t" + strings.Join(shown, " "))
	return nil
}

func (j *trial[K, V]) reduce(k K, values iter.Seq[V], emit func(string)) error {
	key := j.keys.show(k)
	var shown []string
	for v := range values {
		shown = append(shown, j.values.show(v))
		if j.plan.trouble == "reduce" && len(shown) == 1 && j.failed.CompareAndSwap(false, true) {
			return errors.New("an error to be tried again")
		}
		if j.plan.reduceForm == "stop" && len(shown) == 2 {
			break
		}
	}
	emit(key + "\t" + strings.Join(shown, " "))
	return nil
}

// withheld returns a Reducer that emits a line only in the next call of Reduce, or in Close.
func (j *trial[K, V]) withheld() mapreduce.Reducer[K, V, string] {
	line := ""
	flush := func(emit func(string)) {
		if line != "" {
			emit(line)
		}
	}
	return mapreduce.Reducer[K, V, string]{
		Reduce: func(k K, values iter.Seq[V], emit func(string)) error {
			flush(emit)
			return j.reduce(k, values, func(next string) { line = next })
		},
		Close: func(emit func(string)) error {
			flush(emit)
			return nil
		},
	}
}

// passing returns a plan of the trial without a Reduce: the output has all pairs.
func (j *trial[K, V]) passing(in mapreduce.Input[[]byte], to mapreduce.Destination) (*mapreduce.Plan, error) {
	return jobOf[K, V, mapreduce.Pair[K, V]](j).Bind(in, mapreduce.Encoded(to, func(dst []byte, p mapreduce.Pair[K, V]) ([]byte, error) {
		return fmt.Appendf(dst, "%s\t%s\n", j.keys.show(p.First), j.values.show(p.Second)), nil
	}))
}

// partition is the trial's Partition: the number of keys in spread up to key, modulo reduces.
func (j *trial[K, V]) partition(key K, reduces int) int {
	n := 0
	for _, k := range j.spread {
		if j.keys.compare(k, key, j.grouped()) <= 0 {
			n++
		}
	}
	return n % reduces
}

// grouped returns the number of leading key fields that define a group.
func (j *trial[K, V]) grouped() int {
	if j.plan.group == 0 {
		return len(j.keys.fields)
	}
	return j.plan.group
}

// wanted holds the expected lines of a key, or of a group under its first key.
type wanted struct {
	key   string
	lines []string
	part  int // the expected part, if plan.order is "partition"
}

// want computes the job's expected lines in key order, without the engine.
func (j *trial[K, V]) want() (list []wanted) {
	pairs := j.sorted()
	for len(pairs) > 0 {
		first, n := pairs[0].key, 1
		fields := j.grouped()
		if j.plan.reduceForm == "none" {
			fields = len(j.keys.fields)
		}
		for n < len(pairs) && j.keys.compare(first, pairs[n].key, fields) == 0 {
			n++
		}
		w := wanted{key: j.keys.show(first)}
		if j.plan.order == "partition" {
			w.part = j.partition(first, j.plan.reduces)
		}
		var shown []string
		for i, p := range pairs[:n] {
			switch {
			case j.plan.reduceForm == "pairs":
				shown = append(shown, j.keys.show(p.key)+"="+j.values.show(p.value))
			case j.plan.reduceForm == "none":
				w.lines = append(w.lines, w.key+"\t"+j.values.show(p.value))
			case j.plan.reduceForm != "stop" || i < 2:
				shown = append(shown, j.values.show(p.value))
			}
		}
		if j.plan.reduceForm != "none" {
			w.lines = []string{w.key + "\t" + strings.Join(shown, " ")}
		}
		list, pairs = append(list, w), pairs[n:]
	}
	return list
}

// sorted returns all pairs in key order. With Combine, it folds them to one pair for each key.
func (j *trial[K, V]) sorted() []pair[K, V] {
	all := len(j.keys.fields)
	list := slices.Concat(j.records...)
	slices.SortStableFunc(list, func(a, b pair[K, V]) int {
		if j.plan.descending {
			return -j.keys.compare(a.key, b.key, all)
		}
		return j.keys.compare(a.key, b.key, all)
	})
	if j.shape == nil {
		return list
	}
	var folded []pair[K, V]
	for _, p := range list {
		v := j.values.copyOf(p.value)
		if n := len(folded) - 1; n >= 0 && j.keys.compare(folded[n].key, p.key, all) == 0 {
			folded[n].value = j.shape.fold(folded[n].value, v)
			continue
		}
		folded = append(folded, pair[K, V]{p.key, v})
	}
	return folded
}

// differs returns the first difference between the parts and the expected lines, or nil.
func (p *plan) differs(want []wanted, parts [][]string) error {
	at := map[string]int{}
	for i, w := range want {
		at[w.key] = i
	}
	seen := make([]bool, len(want))
	last, before := -1, ""
	for part, lines := range parts {
		if p.order != "total" {
			last = -1
		}
		for len(lines) > 0 {
			key, _, _ := strings.Cut(lines[0], "\t")
			i, ok := at[key]
			if !ok {
				return fmt.Errorf("part %d: key %s was never emitted: %s", part, key, lines[0])
			}
			if seen[i] || i < last {
				return fmt.Errorf("part %d: key %s comes twice or after %s", part, key, before)
			}
			if p.order == "partition" && want[i].part != part {
				return fmt.Errorf("key %s is in part %d, not in %d", key, part, want[i].part)
			}
			got := lines[:min(len(lines), len(want[i].lines))]
			if !slices.Equal(got, want[i].lines) {
				return fmt.Errorf("key %s in part %d:%s", key, part, lineDiff(want[i].lines, got))
			}
			seen[i], last, before, lines = true, i, key, lines[len(got):]
		}
	}
	if i := slices.Index(seen, false); i >= 0 {
		return fmt.Errorf("key %s is missing; want %s", want[i].key, cut(want[i].lines[0]))
	}
	return nil
}

// lineDiff returns a text with the first line that differs.
func lineDiff(want, got []string) string {
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	side := func(list []string) string {
		if i < len(list) {
			return cut(list[i])
		}
		return "nothing"
	}
	return fmt.Sprintf("\n  line %d of %d\n  want %s\n  got  %s", i+1, len(want), side(want), side(got))
}

func cut(s string) string {
	if len(s) > 300 {
		return s[:300] + "..."
	}
	return s
}

// volume is the size of a trial: its numbers of records, emits and keys, and their lengths.
type volume struct {
	records int
	emits   int    // per record; -N: 0 to N at random
	keys    int    // approximate number of distinct keys
	lengths string // of keys and values: short, edges, long, bursts or huge
}

// edges are lengths in bytes around which the engine stores or copies data differently.
var edges = []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33}

// lengthAt draws the length of the i-th key or value; how is volume.lengths.
func lengthAt(r *rand.Rand, how string, i int) int {
	switch how {
	case "short":
		return r.IntN(17)
	case "edges":
		return edges[r.IntN(len(edges))]
	case "long":
		return 17 + r.IntN(200)
	case "huge":
		return []int{3, 9, 200, 255, 256, 257, 1100, 5000}[r.IntN(8)]
	default: // bursts: 70 short lengths, then 27 longer ones
		if i%97 < 70 {
			return edges[(i/97+i)%7]
		}
		return []int{200, 17, 5000, 33, 200, 200}[i%6] / (1 + i%2)
	}
}

func newTrial[K, V any](k keyKind[K], v valueKind[V], shape string, p plan) *trial[K, V] {
	return &trial[K, V]{keys: k, values: v, shape: v.the(shape), plan: p}
}

// fill draws the trial's records: the keys and values that the maps emit.
func (j *trial[K, V]) fill(r *rand.Rand, v volume) {
	keys := make([]K, v.keys)
	for i := range keys {
		keys[i] = j.keys.draw(r, lengthAt(r, v.lengths, i))
	}
	draw := func(i int) V {
		x := j.values.draw(r, lengthAt(r, v.lengths, i))
		if j.shape != nil && j.shape.domain != nil {
			x = j.shape.domain(x)
		}
		return x
	}
	n := 0
	j.records = make([][]pair[K, V], v.records)
	same := map[string]V{} // each key's only value, if the shape needs equal values
	for i := range j.records {
		emits := v.emits
		if emits < 0 {
			emits = r.IntN(1 - emits)
		}
		for range emits {
			k := keys[r.IntN(len(keys))]
			n++
			if j.shape == nil || !j.shape.alike {
				j.records[i] = append(j.records[i], pair[K, V]{k, draw(n)})
				continue
			}
			name := j.keys.show(k)
			if _, ok := same[name]; !ok {
				same[name] = draw(n)
			}
			j.records[i] = append(j.records[i], pair[K, V]{k, same[name]})
		}
	}
	j.ready(keys)
}

// ready sets spread and once, which depend on the keys and records. Call it after both are set.
func (j *trial[K, V]) ready(keys []K) {
	j.spread = keys[:min(len(keys), 20)]
	j.once = make([]*atomic.Int32, len(j.records))
	for i := range j.once {
		j.once[i] = new(atomic.Int32)
	}
}
