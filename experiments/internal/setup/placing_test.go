package setup

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling"
)

// minCost tries every assignment.
func minCost(cost [][]int64, room []int) int64 {
	if len(cost) == 0 {
		return 0
	}
	best := int64(math.MaxInt64)
	for c, x := range cost[0] {
		if room[c] > 0 {
			room[c]--
			best = min(best, x+minCost(cost[1:], room))
			room[c]++
		}
	}
	return best
}

func TestAssign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols := rapid.IntRange(1, 6).Draw(t, "columns")
		most := rapid.IntRange(1, 3).Draw(t, "most")
		rows := rapid.IntRange(1, min(cols*most, 7)).Draw(t, "rows")
		cost := make([][]int64, rows)
		for r := range cost {
			cost[r] = rapid.SliceOfN(rapid.Int64Range(0, 20), cols, cols).Draw(t, "cost")
		}
		sum, held := int64(0), make([]int, cols)
		for r, c := range assign(cost, most) {
			held[c]++
			sum += cost[r][c]
		}
		require.LessOrEqual(t, slices.Max(held), most)
		require.Equal(t, minCost(cost, slices.Repeat([]int{most}, cols)), sum)
	})
}

func TestOffRackCut(t *testing.T) {
	p := Placing{
		RackOf: []int{0, 0, 1}, Slots: 1, At: []int{0, 1, 2}, Bytes: [][]int64{{10}, {20}, {30}},
	}
	// If the reduce is on a random node, the 30 bytes of rack 0 leave it with probability 1/3, and
	// the 30 of rack 1 with 2/3: 30 on average. If it is on node 0, the 30 of rack 1 leave.
	require.InDelta(t, 0, p.OffRackCut([]int{0}), 1e-9)
	p.Bytes[2][0] = 60
	require.InDelta(t, 100*(1-30.0/50), p.OffRackCut([]int{2}), 1e-9)
}

// Costs computes the distances of the definition, and no placement by the Core is better than Best.
func TestPlacing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		p := DrawPlacing(r, Shape{
			Nodes: rapid.IntRange(3, 8).Draw(t, "nodes"),
			Racks: rapid.IntRange(1, 3).Draw(t, "racks"), Slots: 2,
			Maps:    rapid.IntRange(1, 12).Draw(t, "maps"),
			Reduces: rapid.IntRange(1, 6).Draw(t, "reduces"), Sigma: 1,
			Crowd: rapid.Float64Range(0, 2).Draw(t, "crowd"),
		})
		for i, row := range p.Costs() {
			for n, cost := range row {
				want := int64(0)
				for m, at := range p.At {
					switch {
					case at == n:
					case p.RackOf[at] == p.RackOf[n]:
						want += 2 * p.Bytes[m][i]
					default:
						want += 4 * p.Bytes[m][i]
					}
				}
				require.Equal(t, want, cost)
			}
		}
		best := p.Cut(p.Best(math.MaxInt))
		rule := Rule{
			Known: rapid.Float64Range(0, 1).Draw(t, "known"), Count: rapid.Bool().Draw(t, "count"),
		}
		rule.Policy.Rule = rapid.SampledFrom([]scheduling.ReduceRule{
			scheduling.AnyNode, scheduling.CoGRS, scheduling.LARTS,
		}).Draw(t, "rule")
		rule.Policy.Waits = [2]time.Duration{30 * time.Second, 30 * time.Second}
		where := p.ByCore(func(err error) { require.NoError(t, err) }, rule, r)
		on := map[int]int{}
		for _, n := range where {
			on[n]++
			require.LessOrEqual(t, on[n], p.Slots)
		}
		require.LessOrEqual(t, p.Cut(where), best+1e-9)
	})
}
