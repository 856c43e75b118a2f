package differential

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

// dimension is a property of a tested job, such as its order, and its possible values.
type dimension struct {
	name   string
	values []string
}

// row is one combination to test: for each dimension the index of a value.
type row []int

// table holds the dimensions of a test matrix and the pairs of values that may be combined.
type table struct {
	dims []dimension
	// fits reports whether value a of dimension i and value b of dimension k > i may be combined.
	// Each value of dimensions 1 and more must fit the first value of all others.
	fits func(i, a, k, b int) bool
}

// cover returns rows in which every possible pair of values occurs. Each row begins with a missing
// pair, to which cover adds the values that cover the most other pairs. r decides order and ties.
func (t *table) cover(r *rand.Rand) []row {
	open := map[[4]int]bool{}
	for i := range t.dims {
		for k := i + 1; k < len(t.dims); k++ {
			for a := range t.dims[i].values {
				for b := range t.dims[k].values {
					if t.possible(i, a, k, b) {
						open[[4]int{i, a, k, b}] = true
					}
				}
			}
		}
	}
	var rows []row
	for _, p := range sortedPairs(open) {
		if !open[p] {
			continue
		}
		w := t.fill(p, open, r)
		for i := range w {
			for k := i + 1; k < len(w); k++ {
				delete(open, [4]int{i, w[i], k, w[k]})
			}
		}
		if open[p] {
			panic(fmt.Sprintf("no row has %s with %s", t.dims[p[0]].values[p[1]], t.dims[p[2]].values[p[3]]))
		}
		rows = append(rows, w)
	}
	return rows
}

// possible reports whether both values fit each other and some value of the first dimension.
func (t *table) possible(i, a, k, b int) bool {
	if i == 0 {
		return t.fits(i, a, k, b)
	}
	for v := range t.dims[0].values {
		if t.fits(i, a, k, b) && t.fits(0, v, i, a) && t.fits(0, v, k, b) {
			return true
		}
	}
	return false
}

func sortedPairs(open map[[4]int]bool) [][4]int {
	list := make([][4]int, 0, len(open))
	for p := range open {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b [4]int) int { return slices.Compare(a[:], b[:]) })
	return list
}

// fill returns a row with the pair p, and greedily chooses other values that cover open pairs.
func (t *table) fill(p [4]int, open map[[4]int]bool, r *rand.Rand) row {
	w := make(row, len(t.dims))
	for i := range w {
		w[i] = -1
	}
	w[p[0]], w[p[2]] = p[1], p[3]
	for _, i := range append([]int{0}, r.Perm(len(w))...) {
		if w[i] >= 0 {
			continue
		}
		best, most := -1, -1
		for _, a := range r.Perm(len(t.dims[i].values)) {
			if gain := t.gain(w, i, a, open); gain > most {
				best, most = a, gain
			}
		}
		if best < 0 {
			panic(fmt.Sprintf("no %s goes with %s", t.dims[i].name, t.line(w)))
		}
		w[i] = best
	}
	return w
}

// gain returns the number of open pairs that value a of dimension i adds to w; -1 if it does not
// fit.
func (t *table) gain(w row, i, a int, open map[[4]int]bool) (n int) {
	for k, b := range w {
		if b < 0 {
			continue
		}
		p := [4]int{i, a, k, b}
		if k < i {
			p = [4]int{k, b, i, a}
		}
		if !t.fits(p[0], p[1], p[2], p[3]) {
			return -1
		}
		if open[p] {
			n++
		}
	}
	return n
}

// draw returns a random row of values that fit each other.
func (t *table) draw(r *rand.Rand) row {
	w := make(row, len(t.dims))
	for i := range w {
		w[i] = -1
	}
	for i := range w {
		for _, a := range r.Perm(len(t.dims[i].values)) {
			if t.gain(w, i, a, nil) >= 0 {
				w[i] = a
				break
			}
		}
	}
	return w
}

// line returns a row as text for TARRY_CASE: name=value;name=value.
func (t *table) line(w row) string {
	var list []string
	for i, a := range w {
		if a >= 0 {
			list = append(list, t.dims[i].name+"="+t.dims[i].values[a])
		}
	}
	return strings.Join(list, ";")
}

// parse is the inverse of line.
func (t *table) parse(line string) (row, error) {
	w := make(row, len(t.dims))
	for part := range strings.SplitSeq(line, ";") {
		name, value, _ := strings.Cut(part, "=")
		i := slices.IndexFunc(t.dims, func(d dimension) bool { return d.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no dimension is called %q", name)
		}
		if w[i] = slices.Index(t.dims[i].values, value); w[i] < 0 {
			return nil, fmt.Errorf("dimension %s has no %q, but %s", name, value, strings.Join(t.dims[i].values, ", "))
		}
	}
	return w, nil
}

// values returns the values of a row by the names of their dimensions.
func (t *table) values(w row) map[string]string {
	list := map[string]string{}
	for i, a := range w {
		list[t.dims[i].name] = t.dims[i].values[a]
	}
	return list
}

func atoi(s string) int { return first(strconv.Atoi(s)) }

// testSeed returns the seed of a test: TARRY_SEED, or 1.
func testSeed(t *testing.T) uint64 {
	s := os.Getenv("TARRY_SEED")
	if s == "" {
		return 1
	}
	seed, err := strconv.ParseUint(s, 10, 64)
	require.NoError(t, err)
	return seed
}

// runRows runs all rows, or only that of TARRY_CASE. It prints failures with the command to rerun.
func runRows(t *testing.T, m *table, rows []row, seed uint64, run func(w row) error) {
	if line := os.Getenv("TARRY_CASE"); line != "" {
		w, err := m.parse(line)
		require.NoError(t, err)
		rows = []row{w}
	}
	t.Logf("%d rows, seed %d", len(rows), seed)
	for _, w := range rows {
		if err := run(w); err != nil {
			t.Errorf("%v\nrerun with: TARRY_SEED=%d TARRY_CASE='%s' go test -run '%s$' ./actors/differential", err, seed, m.line(w), t.Name())
		}
	}
}

// The rows of cover have each possible pair and no other. parse restores a row from its line.
func TestCoverHasAllPairs(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := &table{fits: func(i, a, k, b int) bool { return a == 0 || b == 0 || (a*7+b*3+i+k)%5 > 0 }}
		for i := range 2 + r.IntN(6) {
			d := dimension{name: fmt.Sprint("d", i)}
			for a := range 1 + r.IntN(6) {
				d.values = append(d.values, fmt.Sprint("v", a))
			}
			m.dims = append(m.dims, d)
		}
		rows := append(m.cover(r), m.draw(r))
		for i := range m.dims {
			for k := i + 1; k < len(m.dims); k++ {
				for a := range m.dims[i].values {
					for b := range m.dims[k].values {
						there := slices.ContainsFunc(rows, func(w row) bool { return w[i] == a && w[k] == b })
						require.Equal(t, m.possible(i, a, k, b), there, "seed %d", seed)
					}
				}
			}
		}
		for _, w := range rows {
			again, err := m.parse(m.line(w))
			require.NoError(t, err)
			require.Equal(t, w, again)
		}
	}
}
