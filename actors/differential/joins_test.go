//go:build !race

package differential

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// entry, page and tally are records with pointers, with a slice of numbers, and without pointers.
type entry struct {
	Name string
	Raw  []byte
	N    int32
}

type page struct {
	ID    int32
	Links []int64
	Name  string
}

type tally struct {
	ID    int32
	Count int64
}

// sides are the two inputs of a join, and functions that return a record's key and text.
type sides[K comparable, T any] struct {
	left, right []T
	key         func(T) K
	show        func(T) string
}

// joinKinds are the joins that TestJoins runs. A row shows a pair; "-" stands for a missing side.
var joinKinds = []string{"full", "inner", "left", "cogroup", "broadcast", "grouped"}

// want returns, by key, the expected rows of a kind of join in their order: that of the right
// records, then of the left ones; that of the left records if it is a broadcast join.
func (s *sides[K, T]) want(kind string) map[string][]string {
	left, right := map[K][]T{}, map[K][]T{}
	rows := map[string][]string{}
	for _, rec := range s.left {
		left[s.key(rec)] = append(left[s.key(rec)], rec)
		rows[fmt.Sprint(s.key(rec))] = nil
	}
	for _, rec := range s.right {
		right[s.key(rec)] = append(right[s.key(rec)], rec)
		rows[fmt.Sprint(s.key(rec))] = nil
	}
	add := func(k K, row string) { rows[fmt.Sprint(k)] = append(rows[fmt.Sprint(k)], row) }
	for k, as := range left {
		bs := right[k]
		if kind == "cogroup" || kind == "grouped" {
			add(k, s.group(as, bs))
			continue
		}
		for i := range len(as) * len(bs) {
			a, b := as[i%len(as)], bs[i/len(as)]
			if kind == "broadcast" {
				a, b = as[i/len(bs)], bs[i%len(bs)]
			}
			add(k, s.show(a)+" "+s.show(b))
		}
		for _, a := range as {
			if len(bs) == 0 && kind != "inner" {
				add(k, s.show(a)+" -")
			}
		}
	}
	for k, bs := range right {
		if len(left[k]) > 0 {
			continue
		}
		if kind == "cogroup" || kind == "grouped" {
			add(k, s.group(nil, bs))
		}
		for _, b := range bs {
			if kind == "full" {
				add(k, "- "+s.show(b))
			}
		}
	}
	maps.DeleteFunc(rows, func(_ string, list []string) bool { return list == nil })
	return rows
}

// group returns the text of a group, with the records of each side in input order.
func (s *sides[K, T]) group(as, bs []T) string {
	var list []string
	for _, a := range as {
		list = append(list, s.show(a))
	}
	list = append(list, "|")
	for _, b := range bs {
		list = append(list, s.show(b))
	}
	return strings.Join(list, " ")
}

// feeds returns both sides of a join in the given form: slices, or datasets kept by key in n parts.
func (s *sides[K, T]) feeds(c *actors.Cluster, how string, parts int) (left, right mapreduce.Feed[K, T], err error) {
	if how == "slices" {
		return mapreduce.Keyed(mapreduce.Slice(s.left), s.key), mapreduce.Keyed(mapreduce.Slice(s.right), s.key), nil
	}
	var kept [2]*actors.Keyed[K, T]
	for i, list := range [][]T{s.left, s.right} {
		if kept[i], err = actors.LoadBy(context.Background(), c, s.key, parts, mapreduce.Slice(list)); err != nil {
			return left, right, err
		}
	}
	return kept[0].Feed(), kept[1].Feed(), nil
}

// bind returns the plan of a join of that kind which writes its rows to out.
func (s *sides[K, T]) bind(kind string, reduces int, left, right mapreduce.Feed[K, T], out mapreduce.Output[string]) (*mapreduce.Plan, error) {
	row := func(k K, a, b *T, emit func(string)) error {
		sides := []string{"-", "-"}
		for i, rec := range []*T{a, b} {
			if rec != nil {
				sides[i] = s.show(*rec)
			}
		}
		emit(fmt.Sprint(k) + "\t" + strings.Join(sides, " "))
		return nil
	}
	var j mapreduce.Joined[string]
	switch kind {
	case "broadcast":
		return mapreduce.BroadcastJoin(mapreduce.Slice(s.left), s.key, right, func(rec T, matches []T, emit func(string)) error {
			for i := range matches {
				_ = row(s.key(rec), &rec, &matches[i], emit)
			}
			if len(matches) == 0 {
				return row(s.key(rec), &rec, nil, emit)
			}
			return nil
		}).Bind(out)
	case "grouped":
		return mapreduce.MapOnly[mapreduce.Group[K, T, T], string]{Map: func(g mapreduce.Group[K, T, T], emit func(string)) error {
			emit(fmt.Sprint(g.Key) + "\t" + s.group(g.Left, g.Right))
			return nil
		}}.Bind(mapreduce.Grouped(left, right), out)
	case "inner":
		j = mapreduce.Join(left, right, func(k K, a, b T, emit func(string)) error { return row(k, &a, &b, emit) })
	case "left":
		j = mapreduce.LeftJoin(left, right, func(k K, a T, b *T, emit func(string)) error { return row(k, &a, b, emit) })
	case "full":
		j = mapreduce.FullJoin(left, right, row)
	default:
		j = mapreduce.CoGroup(left, right, func(k K, as []T, bs iter.Seq[T], emit func(string)) error {
			shown := []string{s.group(as, nil)}
			for b := range bs { // a record is valid only until the next one
				shown = append(shown, s.show(b))
			}
			emit(fmt.Sprint(k) + "\t" + strings.Join(shown, " "))
			return nil
		})
	}
	j.Reducers = reduces
	return j.Bind(out)
}

// run runs a join and returns the difference from want. A running job whose dataset is lost ends
// with ErrPartLost; run then runs the join again, which recomputes the lost parts.
func (s *sides[K, T]) run(t *testing.T, cfg actors.Config, kind, how string, reduces int, lost bool) (wrong error) {
	onCluster(t, cfg, func(_ *testing.T, c *actors.Cluster) {
		left, right, err := s.feeds(c, how, reduces)
		var parts [][]string
		if err == nil {
			parts, err = s.parts(c, kind, how, reduces, left, right, lost)
		}
		if lost && how != "slices" && errors.Is(err, cluster.ErrPartLost) {
			parts, err = s.parts(c, kind, how, reduces, left, right, false)
		}
		if wrong = err; err == nil {
			wrong = differentRows(s.want(kind), parts, kind != "broadcast")
		}
	})
	return wrong
}

// parts runs a join, perhaps with the loss of a node, and returns the lines of its parts.
func (s *sides[K, T]) parts(c *actors.Cluster, kind, how string, reduces int, left, right mapreduce.Feed[K, T], lost bool) ([][]string, error) {
	var out mapreduce.Collected[string]
	p, err := s.bind(kind, reduces, left, right, out.Output())
	if err == nil {
		_, err = runPlan(c, p, lost)
	}
	if err != nil {
		return nil, err
	}
	return out.Parts()
}

// differentRows returns the first difference of parts from want. With together it also returns an
// error if the rows of a key are not neighbors.
func differentRows(want map[string][]string, parts [][]string, together bool) error {
	got, ended := map[string][]string{}, map[string]bool{}
	for _, part := range parts {
		last := ""
		for _, line := range part {
			k, row, _ := strings.Cut(line, "\t")
			if k != last && last != "" {
				ended[last] = true
			}
			if together && ended[k] {
				return fmt.Errorf("key %s comes twice", k)
			}
			got[k], last = append(got[k], row), k
		}
		ended[last] = true
	}
	for k, rows := range got {
		if !slices.Equal(rows, want[k]) {
			return fmt.Errorf("key %s:%s", k, lineDiff(want[k], rows))
		}
	}
	for k := range want {
		if got[k] == nil {
			return fmt.Errorf("key %s is missing", k)
		}
	}
	return nil
}

func entries(r *rand.Rand, n, keys int) (list []entry) {
	for i := range n {
		name := string(text(r, edges[r.IntN(len(edges))]))
		if keys > 0 {
			name = fmt.Sprint("name", r.IntN(keys))
		}
		list = append(list, entry{Name: fmt.Sprintf("%q", name), Raw: text(r, []int{0, 5, 17, 300}[i%4]), N: int32(i)})
	}
	return list
}

func tallies(r *rand.Rand, n, keys int) (list []tally) {
	for i := range n {
		id := drawInt[int32](r, i)
		if keys > 0 {
			id = int32(r.IntN(keys)) - 3
		}
		list = append(list, tally{ID: id, Count: int64(i)})
	}
	return list
}

func pages(r *rand.Rand, n, keys int) (list []page) {
	for _, t := range tallies(r, n, keys) {
		links := make([]int64, []int{0, 1, 3, 200}[t.Count%4])
		for i := range links {
			links[i] = drawInt[int64](r, i)
		}
		list = append(list, page{t.ID, links, fmt.Sprint(t.Count)})
	}
	return list
}

// joinSizes are the numbers of left records, right records and keys. 0 keys means unusual keys.
var joinSizes = map[string][3]int{"some": {60, 90, 20}, "none right": {40, 0, 9}, "none left": {0, 40, 9}, "edges": {300, 300, 0}, "many": {2000, 3000, 900}}

// Each kind of join, over each kind of feed and cluster, writes the rows that plain Go code
// computes.
func TestJoins(t *testing.T) {
	t.Parallel()
	m := &table{dims: []dimension{
		{"types", []string{"entry", "tally", "page"}},
		{"kind", joinKinds},
		{"how", []string{"kept", "slices"}},
		{"size", []string{"some", "none right", "none left", "edges", "many"}},
		{"cluster", []string{"racks", "one slot", "one at once"}},
		{"memory", []string{"unlimited", "64KiB", "1MiB"}},
		{"reduces", []string{"3", "1", "40"}},
		{"trouble", []string{"none", "lost"}},
	}}
	m.fits = func(i, a, k, b int) bool {
		x, y := m.dims[i].values[a], m.dims[k].values[b]
		switch m.dims[i].name + " " + m.dims[k].name {
		case "kind how":
			return x != "grouped" || y != "slices"
		case "cluster trouble":
			return x != "one slot" || y == "none"
		}
		return true
	}
	seed := testSeed(t)
	rows := m.cover(rand.New(rand.NewPCG(seed, 9)))
	if long {
		for i := range uint64(500) {
			rows = append(rows, m.draw(rand.New(rand.NewPCG(seed, i))))
		}
	}
	runRows(t, m, rows, seed, func(w row) error {
		r := rand.New(rand.NewPCG(seed, uint64(crc32.ChecksumIEEE([]byte(m.line(w))))))
		v := m.values(w)
		cfg := clusters[v["cluster"]]
		cfg.Memory = memories[v["memory"]]
		n, reduces, lost := joinSizes[v["size"]], atoi(v["reduces"]), v["trouble"] == "lost"
		return runJoin(t, r, v["types"], n, cfg, v["kind"], v["how"], reduces, lost)
	})
}

// runJoin runs a join of random records of the named type and returns the difference from want. n
// has the numbers of left records, right records and keys.
func runJoin(t *testing.T, r *rand.Rand, types string, n [3]int, cfg actors.Config, kind, how string, reduces int, lost bool) error {
	switch types {
	case "entry":
		s := sides[string, entry]{
			entries(r, n[0], n[2]), entries(r, n[1], n[2]),
			func(e entry) string { return e.Name }, func(e entry) string { return fmt.Sprint(e.N, showText(e.Raw)) },
		}
		return s.run(t, cfg, kind, how, reduces, lost)
	case "page":
		s := sides[int32, page]{
			pages(r, n[0], n[2]), pages(r, n[1], n[2]),
			func(p page) int32 { return p.ID }, func(p page) string { return fmt.Sprint(p.Links, p.Name) },
		}
		return s.run(t, cfg, kind, how, reduces, lost)
	}
	s := sides[int32, tally]{
		tallies(r, n[0], n[2]), tallies(r, n[1], n[2]),
		func(e tally) int32 { return e.ID }, func(e tally) string { return fmt.Sprint(e.Count) },
	}
	return s.run(t, cfg, kind, how, reduces, lost)
}

// A dataset returns its job's records in order, even after the loss of a node. A dataset computed
// from its aligned input has the records in the same parts.
func TestKeptIsWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, cfg := range []actors.Config{{}, {Memory: 1 << 20}, {Nodes: 3, Replication: 1, Memory: 64 << 10}} {
		for _, n := range []int{0, 1, 255, 3000} {
			list := entries(rand.New(rand.NewPCG(uint64(n), 2)), n, 50)
			onCluster(t, cfg, func(t *testing.T, c *actors.Cluster) {
				kept, err := actors.Load(t.Context(), c, mapreduce.Slice(list))
				require.NoError(t, err)
				again, err := actors.Keep(t.Context(), c, mapreduce.Apply(func(e entry) entry {
					e.Raw = append(slices.Clone(e.Raw), '!')
					return e
				}).Over(kept.Aligned()))
				require.NoError(t, err)
				if cfg.Nodes > 1 {
					require.NoError(t, c.KillNode(c.Nodes()[0]))
				}
				for i, d := range []*actors.Dataset[entry]{kept, again} {
					got, err := d.Collect(t.Context())
					require.NoError(t, err)
					require.Len(t, got, n)
					for k, e := range got {
						want := entry{list[k].Name, append(slices.Clone(list[k].Raw), "!"[:i]...), list[k].N}
						require.Equal(t, fmt.Sprintf("%q", fmt.Sprint(want)), fmt.Sprintf("%q", fmt.Sprint(e)), "record %d", k)
					}
				}
				require.Equal(t, kept.Size().Parts, again.Size().Parts)
			})
		}
	}
}

// A job reads the records that another job wrote, from files in each compression and from a
// dataset. Their last field has no size, but an encoding.
func TestFilesReadBack(t *testing.T) {
	t.Parallel()
	type record = mapreduce.Pair[summary, tagged]
	r := rand.New(rand.NewPCG(6, 6))
	var list []record
	var want []string
	show := func(s record) string {
		return fmt.Sprintf("%d %q %q %q %q", s.First.N, s.First.Text, s.First.Raw, s.First.Tags, s.Second.Text)
	}
	for i := range 500 {
		b := bytes.ReplaceAll(text(r, edges[i%len(edges)]), []byte{0}, []byte("\"x"))
		list = append(list, mapreduce.MakePair(summary{int64(i), string(b), b, []string{string(b), ""}}, tagged{Text: string(b)}))
		want = append(want, show(list[i]))
	}
	same, shown := mapreduce.Apply(func(s record) record { return s }), mapreduce.Apply(show)
	for _, pack := range []mapreduce.Compression{mapreduce.NoCompression, mapreduce.Gzip, mapreduce.Zstd} {
		onCluster(t, actors.Config{BlockSize: 300, Nodes: 2}, func(t *testing.T, c *actors.Cluster) {
			dir := filepath.Join(t.TempDir(), "out")
			p, err := same.Bind(mapreduce.Slice(list), mapreduce.Typed[record](mapreduce.Dir(dir).Compressed(pack)))
			require.NoError(t, err)
			_, err = runPlan(c, p, false)
			require.NoError(t, err)
			files, err := mapreduce.Files(dir)
			require.NoError(t, err)
			got, err := actors.Collect(t.Context(), c, shown.Over(mapreduce.ReadTyped[record](files...)))
			require.NoError(t, err)
			require.Equal(t, want, got)
			kept, err := actors.Keep(t.Context(), c, same.Over(mapreduce.Slice(list)))
			require.NoError(t, err)
			got, err = actors.Collect(t.Context(), c, shown.Over(kept.Input()))
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}
