package gravity

// level is what lies in the groups of one level of the network. A job has outputs in few groups of a
// large cluster: these are numbered as they come, so that what is kept of them lies together.
type level struct {
	at   []int32    // by group: 1 + its place in sums, 0 for none
	sums []groupSum // of the groups that have outputs, or had
}

// groupSum is what lies in a group.
type groupSum struct {
	high int64   // sum of the most bytes per reduce, of the maps scanned
	row  []int64 // bytes per reduce of the maps folded; nil before the first
}

// sumOf is the sum of a group of level l, from 1, and makes it if there is none.
func (g *Outputs) sumOf(l int, group int32) *groupSum {
	for len(g.levels) <= l {
		g.levels = append(g.levels, level{})
	}
	of := &g.levels[l]
	if need := int(group) + 1 - len(of.at); need > 0 {
		of.at = append(of.at, make([]int32, need)...)
	}
	if of.at[group] == 0 {
		if of.sums == nil {
			of.sums = make([]groupSum, 0, min(fewMaps, len(g.outs)))
		}
		of.sums = append(of.sums, groupSum{})
		of.at[group] = int32(len(of.sums))
	}
	return &of.sums[of.at[group]-1]
}

// fewReduces is how many numbers are made at once for the rows of several groups.
const fewReduces = 64

// row is the bytes per reduce in a group of level l.
func (g *Outputs) row(l int, group int32) []int64 {
	sum := g.sumOf(l, group)
	if sum.row == nil {
		if len(g.spare) < g.reduces {
			g.spare = make([]int64, g.reduces*max(1, min(len(g.outs), fewReduces/g.reduces)))
		}
		sum.row, g.spare = g.spare[:g.reduces:g.reduces], g.spare[g.reduces:]
	}
	return sum.row
}

// near is row, or nil if nothing that is folded has lain there.
func (g *Outputs) near(l int, group int32) []int64 {
	of := &g.levels[l]
	if int(group) >= len(of.at) || of.at[group] == 0 {
		return nil
	}
	return of.sums[of.at[group]-1].row
}

// mostHigh is the greatest sum of a level of the most bytes per reduce.
func (of *level) mostHigh() (most int64) {
	for i := range of.sums {
		most = max(most, of.sums[i].high)
	}
	return most
}

// most is the most bytes of reduce r in a group of the level.
func (of *level) most(r int32) (most int64) {
	for i := range of.sums {
		if row := of.sums[i].row; row != nil {
			most = max(most, row[r])
		}
	}
	return most
}

// Bound is a score that no node exceeds for reduce r. It looks at groups, not at nodes.
func (g *Outputs) Bound(r int32, levels int) int64 {
	bound := g.peak[r]
	for l := 1; l < min(levels, len(g.levels)); l++ {
		bound += g.levels[l].most(r)
	}
	return bound
}

// Around is Score without what lies on the node itself.
func (g *Outputs) Around(r int32, at Site, levels int) (sum int64) {
	for l := 1; l < min(levels, len(g.levels)); l++ {
		if row := g.near(l, at.Groups[l]); row != nil {
			sum += row[r]
		}
	}
	return sum
}

// Rows appends the bytes per reduce in the groups around a site, one slice a level from 1 that has
// any, to space.
func (g *Outputs) Rows(at Site, levels int, space [][]int64) [][]int64 {
	for l := 1; l < min(levels, len(g.levels)); l++ {
		if row := g.near(l, at.Groups[l]); row != nil {
			space = append(space, row)
		}
	}
	return space
}
