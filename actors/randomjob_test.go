package actors

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Jobs of random types and options, on clusters of random shape and with failing attempts, write
// what plain Go code computes. LONG_TESTS=1 tries 10,000 seeds, TARRY_SEED=n one. Under the race
// detector there are fewer types.
func TestRandomJobs(t *testing.T) {
	first, n := uint64(0), uint64(300)
	switch seed := os.Getenv("TARRY_SEED"); {
	case seed != "":
		x, err := strconv.ParseUint(seed, 10, 64)
		require.NoError(t, err)
		first, n = x, 1
	case os.Getenv("LONG_TESTS") != "":
		n = 10_000
	case testing.Short():
		n = 50
	}
	for seed := first; seed < first+n && !t.Failed(); seed++ {
		r := rand.New(rand.NewPCG(seed, 8))
		kinds := randomKinds()
		kinds[r.IntN(len(kinds))](t, seed, r)
	}
}

// randomTrial draws a job from r, runs it and checks its output. seed is for messages.
type randomTrial func(t *testing.T, seed uint64, r *rand.Rand)

// emitted is a key and a value that the map of a record emits.
type emitted[K, V any] struct {
	key   K
	value V
}

// randomJob is a job whose result plain Go code can compute.
type randomJob[K, V any] struct {
	keys       keyKind[K]
	values     valueKind[V]
	records    [][]emitted[K, V] // by record, the pairs that its map emits
	reduces    int
	group      int // number of leading key fields by which Reduce groups
	descending bool
	order      string // hash, total or custom
	combine    string // none, combine or sum
	identity   bool   // no Reduce
	input      string
	failures   uint64 // seed of failsAt; 0: no attempt fails
}

func (j *randomJob[K, V]) String() string {
	return fmt.Sprintf("keys %T, values %T, %d records, %d reduces, group by %d of %d fields, descending %t, %s, combine %s, identity %t, %s, failures %t",
		*new(K), *new(V), len(j.records), j.reduces, j.group, len(j.keys.fields), j.descending, j.order, j.combine, j.identity, j.input, j.failures != 0)
}

func drawJob[K, V any](r *rand.Rand, k keyKind[K], v valueKind[V]) *randomJob[K, V] {
	j := &randomJob[K, V]{
		keys: k, values: v, reduces: pick(r, 1, 2, 3, 7), group: len(k.fields), descending: r.IntN(2) == 0,
		order: pick(r, "hash", "hash", "total", "custom"), combine: pick(r, "none", "none", "combine"),
		input: pick(r, "slice", "lines", "fixed", "seq"),
	}
	if k.grouped && r.IntN(3) > 0 {
		j.group = 1 + r.IntN(len(k.fields))
	}
	if v.sum && r.IntN(3) == 0 {
		j.combine = "sum"
	}
	if r.IntN(2) == 0 {
		j.failures = r.Uint64() | 1
	}
	list := make([]K, pick(r, 1, 5, 60))
	for i := range list {
		list[i] = k.draw(r)
	}
	j.records = make([][]emitted[K, V], pick(r, 0, 1, 20, 300))
	for i := range j.records {
		for range r.IntN(4) {
			j.records[i] = append(j.records[i], emitted[K, V]{list[r.IntN(len(list))], v.draw(r)})
		}
	}
	return j
}

// partition is the job's custom Partition. It depends only on the key's fields of the group.
func (j *randomJob[K, V]) partition(key K, reduces int) int {
	n := 0
	for _, pairs := range j.records {
		for _, e := range pairs[:min(1, len(pairs))] {
			if n < 50 && j.keys.compare(e.key, key, j.group) <= 0 {
				n++
			}
		}
	}
	return n % reduces
}

// pairs returns all emitted pairs in the job's order. If the job combines, each key has one pair.
func (j *randomJob[K, V]) pairs() []emitted[K, V] {
	list := slices.Concat(j.records...)
	slices.SortStableFunc(list, func(a, b emitted[K, V]) int {
		if c := j.keys.compare(a.key, b.key, len(j.keys.fields)); !j.descending {
			return c
		} else {
			return -c
		}
	})
	if j.combine == "none" {
		return list
	}
	folded := list[:0:0]
	for _, e := range list {
		if n := len(folded) - 1; n >= 0 && j.keys.compare(folded[n].key, e.key, len(j.keys.fields)) == 0 {
			folded[n].value = j.values.fold(folded[n].value, j.copyOf(e.value))
			continue
		}
		folded = append(folded, emitted[K, V]{e.key, j.copyOf(e.value)})
	}
	return folded
}

func (j *randomJob[K, V]) line(k K, values []string) string {
	return j.keys.show(k) + ": " + strings.Join(values, ", ")
}

// want returns the expected lines in the order of their keys, and for each line the reduce that a
// custom Partition gives it.
func (j *randomJob[K, V]) want() (lines []string, parts []int) {
	list := j.pairs()
	for len(list) > 0 {
		n := 1
		for n < len(list) && !j.identity && j.keys.compare(list[0].key, list[n].key, j.group) == 0 {
			n++
		}
		var values []string
		for _, e := range list[:n] {
			values = append(values, j.values.show(e.value))
		}
		lines = append(lines, j.line(list[0].key, values))
		parts = append(parts, j.partition(list[0].key, j.reduces))
		list = list[n:]
	}
	return lines, parts
}

// check requires that the parts written by the job, got, have the lines of want.
func (j *randomJob[K, V]) check(t *testing.T, got [][]string, desc string) {
	lines, parts := j.want()
	switch {
	case j.order == "total" || j.reduces == 1:
		require.Equal(t, lines, slices.Concat(got...), desc)
	case j.order == "custom":
		want := make([][]string, j.reduces)
		for i, line := range lines {
			want[parts[i]] = append(want[parts[i]], line)
		}
		for i := range want {
			require.Equal(t, want[i], got[i], "part %d: %s", i, desc)
		}
	default:
		checkHashed(t, lines, got, desc)
	}
}

// checkHashed requires that the parts together have these lines, each part in their order.
func checkHashed(t *testing.T, lines []string, got [][]string, desc string) {
	require.ElementsMatch(t, lines, slices.Concat(got...), desc)
	for _, part := range got { // each part keeps the order of lines
		rest := lines
		for _, line := range part {
			i := slices.Index(rest, line)
			require.GreaterOrEqual(t, i, 0, "%q is out of order: %s", line, desc)
			rest = rest[i+1:]
		}
	}
}
