package gravity

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const reduces = 6

// model keeps the outputs in a plain list, and answers each question by a search through it.
type model []output

// within returns the bytes of reduce r in the group of a site at a level, and the number of maps
// with such bytes.
func (m model) within(r int, at Site, level int) (sum, maps int64) {
	for _, o := range m {
		if r < len(o.bytes) && o.at[level] == at[level] {
			sum += o.bytes[r]
			if o.bytes[r] > 0 {
				maps++
			}
		}
	}
	return sum, maps
}

func (m model) score(r int, at Site, upTo int) (sum int64) {
	for l := range upTo {
		here, _ := m.within(r, at, l)
		sum += here
	}
	return sum
}

// distance sums, over the outputs, the output's weight times the links between it and the site.
func (m model) distance(r int, at Site, weigh Weight) (sum int64) {
	for _, o := range m {
		up := Levels
		for l := Levels - 1; l >= 0; l-- {
			if o.at[l] == at[l] {
				up = l
			}
		}
		if r < len(o.bytes) && o.bytes[r] > 0 {
			sum += int64(2*up) * weigh(o.bytes[r])
		}
	}
	return sum
}

// most returns, for the group of a level where it is largest, the sum of what `part` returns for
// each output.
func (m model) most(level int, part func(output) int64) (most int64) {
	sums := map[int32]int64{}
	for _, o := range m {
		sums[o.at[level]] += part(o)
		most = max(most, sums[o.at[level]])
	}
	return most
}

func high(o output) (high int64) {
	for _, b := range o.bytes {
		high = max(high, b)
	}
	return high
}

func low(o output) int64 {
	if len(o.bytes) < reduces {
		return 0
	}
	low := o.bytes[0]
	for _, b := range o.bytes {
		low = min(low, b)
	}
	return low
}

// sites returns five nodes in three racks.
func sites() (all []Site) {
	for i, rack := range []int32{0, 0, 1, 2, 2} {
		all = append(all, Site{int32(i), rack})
	}
	return all
}

// Outputs gives the same answers as a plain list of the outputs, after any sequence of Add, Remove
// and Fold.
func TestOutputsAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maps := rapid.IntRange(1, 8).Draw(t, "maps") // perhaps fewer than nodes
		all := sites()
		g := New(maps, reduces)
		in := map[int32]output{}
		fed := map[int32]bool{}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			m := int32(rapid.IntRange(0, maps-1).Draw(t, "map"))
			_, known := in[m]
			require.Equal(t, known, g.Remove(m))
			delete(in, m)
			if rapid.Bool().Draw(t, "add") {
				sizes := rapid.SliceOfN(rapid.Int64Range(0, 5), 0, reduces).Draw(t, "sizes") // missing numbers are 0
				if len(sizes) == 0 {
					sizes = []int64{1, 2, 3, 4, 5, 6, 7}[:reduces+1] // more are cut
				}
				at := all[rapid.IntRange(0, len(all)-1).Draw(t, "node")]
				g.Add(m, at, sizes)
				in[m], fed[at[0]] = output{at: at, bytes: sizes[:min(len(sizes), reduces)]}, true
			}
			if rapid.Bool().Draw(t, "fold") {
				g.Fold()
			}
		}
		var list model
		for m := range int32(maps) {
			if o, ok := in[m]; ok {
				list = append(list, o)
			}
		}
		require.Equal(t, []int{len(list), len(fed)}, []int{g.Known(), len(g.Feeders())})
		checkQuestions(t, g, list, all)
		for _, part := range []float64{0.3, 0.5, 1, 2, 4} {
			for upTo := 1; upTo <= Levels; upTo++ {
				bound, least := list.most(0, high), int64(0)
				for l := 1; l < upTo; l++ {
					bound += list.most(l, high)
				}
				for _, o := range list {
					least += low(o)
				}
				require.Equal(t, float64(bound) <= part*float64(upTo)*float64(least), g.Even(part, upTo), "%v of %d levels: %d, %d", part, upTo, bound, least)
			}
		}
		g.Fold()
		checkSums(t, g, list, all)
	})
}

// checkQuestions compares the answers for which Outputs keeps no sums with those of the list.
func checkQuestions(t *rapid.T, g *Outputs, list model, all []Site) {
	var sums Sums
	for r := range reduces {
		g.Sum(int32(r), &sums)
		for _, at := range all {
			require.Equal(t, list.distance(r, at, Bytes), sums.Distance(at))
		}
		checkSpread(t, &sums, list, r, all)
		for upTo := 1; upTo <= Levels; upTo++ {
			var want Site
			most, ok := int64(-1), false
			for _, at := range all {
				if here, _ := list.within(r, at, 0); here > 0 && list.score(r, at, upTo) > most {
					want, most, ok = at, list.score(r, at, upTo), true
				}
			}
			got, known := sums.Center(upTo)
			require.Equal(t, ok, known)
			require.Equal(t, want, got)
		}
		for _, at := range all {
			rack, _ := list.within(r, at, 1)
			require.Equal(t, rack, g.Input(int32(r), func(o Site) bool { return o[1] == at[1] }))
			require.Equal(t, list.distance(r, at, Bytes), g.Distance(int32(r), at, Bytes))
			require.Equal(t, list.distance(r, at, Ones), g.Distance(int32(r), at, Ones))
		}
	}
}

// checkSpread omits one site after the other, and compares the least and mean distance of the rest.
func checkSpread(t *rapid.T, sums *Sums, list model, r int, all []Site) {
	for out := range all {
		racks := make([]Rack, len(all))
		least, sum := int64(math.MaxInt64), int64(0)
		for i, at := range all {
			if i == out {
				continue
			}
			k := &racks[at[1]]
			k.Site, k.Nodes = at, k.Nodes+1
			least, sum = min(least, list.distance(r, at, Bytes)), sum+list.distance(r, at, Bytes)
		}
		gotLeast, gotMean := sums.Spread(racks, func(node int32) bool { return node != all[out][0] })
		require.Equal(t, least, gotLeast)
		require.Equal(t, sum/int64(len(all)-1), gotMean)
	}
}

// checkSums compares the answers that depend on the folded outputs with those of the list.
func checkSums(t *rapid.T, g *Outputs, list model, all []Site) {
	for r := range reduces {
		total := int64(0)
		for _, o := range list {
			if r < len(o.bytes) {
				total += o.bytes[r]
			}
		}
		require.Equal(t, total, g.Total(int32(r)))
		for _, at := range all {
			here, _ := list.within(r, at, 0)
			require.Equal(t, here, g.Score(int32(r), at, 1))
			for upTo := 1; upTo <= Levels; upTo++ {
				require.Equal(t, list.score(r, at, upTo), g.Score(int32(r), at, upTo))
			}
		}
	}
	require.Zero(t, g.Score(0, Site{99}, 1))
}

// Two sites are two links apart for each level up to the first common group.
func TestDistanceOfSites(t *testing.T) {
	all := sites()
	for i, want := range [][]int64{{0, 2, 4, 4, 4}, {2, 0, 4, 4, 4}, {4, 4, 0, 4, 4}, {4, 4, 4, 0, 2}, {4, 4, 4, 2, 0}} {
		for k := range all {
			require.Equal(t, want[k], Distance(all[i], all[k]), "%d %d", i, k)
		}
	}
}
