package jobs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// someSettings returns few of the settings, since computations of many jobs take long.
func someSettings() []setting { return []setting{{0, 1, true}, {7, 3, false}, {256, 2, false}} }

// PageRank returns the ranks that a plain loop computes, in a graph where nodes may have no links.
func TestPageRankEqualsLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const nodes, rounds = 150, 12
	links := map[string][]string{}
	text := "alone\n"
	name := func() string { return fmt.Sprint("node ", rng.IntN(nodes)) }
	for range 400 {
		from, to := name(), name()
		text += from + "\t" + to + "\n"
		if !slices.Contains(links[from], to) {
			links[from] = append(links[from], to)
		}
	}
	ranks := map[string]float64{"alone": 0}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		from, to, _ := strings.Cut(line, "\t")
		ranks[from], ranks[to] = 0, 0
	}
	n := float64(len(ranks))
	for node := range ranks {
		ranks[node] = 1 / n
	}
	for range rounds {
		next, lost := map[string]float64{}, 0.
		for node, rank := range ranks {
			if len(links[node]) == 0 {
				lost += rank
			}
			for _, to := range links[node] {
				next[to] += rank / float64(len(links[node]))
			}
		}
		for node := range ranks {
			ranks[node] = 0.9*(next[node]+lost/n) + 0.1/n
		}
	}
	var first []NodeRank
	for _, s := range someSettings() {
		in := mapreduce.Lines(sources(text)...)
		got, err := PageRank(t.Context(), runner(t, s), in, PageRankOptions{Damping: 0.9, Rounds: rounds})
		require.NoError(t, err)
		require.Len(t, got, len(ranks))
		total := 0.
		for _, r := range got {
			require.InDelta(t, ranks[string(r.First)], r.Second, 1e-9, "%s", r.First)
			total += r.Second
		}
		require.InDelta(t, 1, total, 1e-9)
		if first == nil {
			first = got
		}
		require.Equal(t, first, got, "the same bits, however the jobs run")
	}
}

func TestPageRankRefuses(t *testing.T) {
	for _, o := range []PageRankOptions{{Damping: 1}, {Damping: -0.1}, {Rounds: -1}} {
		_, err := PageRank(t.Context(), runner(t, someSettings()[0]), mapreduce.Lines(sources("a")...), o)
		require.ErrorContains(t, err, "want a damping above 0 and below 1")
	}
	got, err := PageRank(t.Context(), runner(t, someSettings()[0]), mapreduce.Lines(sources("")...), PageRankOptions{})
	require.NoError(t, err)
	require.Empty(t, got)
}

// union is union-find over names.
type union map[string]string

func (u union) first(node string) string {
	for u[node] != node {
		node = u[node]
	}
	return node
}

func (u union) add(a, b string) {
	for _, node := range []string{a, b} {
		if u[node] == "" {
			u[node] = node
		}
	}
	a, b = u.first(a), u.first(b)
	u[max(a, b)] = min(a, b)
}

// components requires that Components finds what union-find does, and returns its number of jobs.
func components(t *testing.T, s setting, text string) (jobs int) {
	u := union{}
	for line := range strings.Lines(text) {
		a, b, both := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !both {
			b = a
		}
		u.add(a, b)
	}
	var want []string
	for node := range u {
		want = append(want, node+" "+u.first(node))
	}
	slices.Sort(want)
	run := runner(t, s)
	members, err := Components(t.Context(), func(ctx context.Context, p *mapreduce.Plan) (*counter.Set, error) {
		jobs++
		return run(ctx, p)
	}, mapreduce.Lines(sources(text)...))
	require.NoError(t, err)
	got := []string(nil)
	for _, m := range members {
		got = append(got, string(m.First)+" "+string(m.Second))
	}
	require.True(t, slices.IsSortedFunc(members, func(a, b Member) int { return cmp.Compare(string(a.First), string(b.First)) }))
	slices.Sort(got)
	require.Equal(t, want, got)
	return jobs
}

func TestComponentsEqualUnionFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for edges := range 60 {
		text := "alone\nx\tx\n"
		for range edges {
			text += fmt.Sprintf("n%d\tn%d\n", rng.IntN(40), rng.IntN(40))
		}
		components(t, someSettings()[edges%3], text)
	}
}

// Components ends a path of 3,000 nodes after few rounds, in whatever order its nodes are named.
func TestComponentsOfALongPath(t *testing.T) {
	const n = 3000
	shuffled := rand.New(rand.NewPCG(7, 8)).Perm(n)
	var along, mixed strings.Builder
	for i := 1; i < n; i++ {
		fmt.Fprintf(&along, "%05d\t%05d\n", i-1, i)
		fmt.Fprintf(&mixed, "%05d\t%05d\n", shuffled[i-1], shuffled[i])
	}
	for _, text := range []string{along.String(), mixed.String()} {
		require.LessOrEqual(t, components(t, setting{4096, 2, false}, text), 30)
	}
}

// clouds returns points around (0, 0), (10, 0) and (0, 10), as lines of text and as numbers.
func clouds(n int) (text string, points [][]float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := range n {
		x := fmt.Sprintf("%.6f", rng.NormFloat64()+10*float64(i%3%2))
		y := fmt.Sprintf("%.6f", rng.NormFloat64()+10*float64(i%3/2))
		b.WriteString(x + "," + y + "\n")
		p := make([]float64, 2)
		p[0], _ = strconv.ParseFloat(x, 64)
		p[1], _ = strconv.ParseFloat(y, 64)
		points = append(points, p)
	}
	return b.String(), points
}

// KMeans returns the centers that plain loops compute from the same initial centers.
func TestKMeansEqualsLoop(t *testing.T) {
	text, points := clouds(600)
	o := KMeansOptions{Clusters: 4, Rounds: 5, Seed: 9, Separator: ','}
	begun, err := o.start(t.Context(), runner(t, someSettings()[0]), mapreduce.Lines(sources(text)...))
	require.NoError(t, err)
	want := make([][]float64, len(begun))
	for i, c := range begun {
		want[i] = slices.Clone(c.Center)
		require.Contains(t, points, c.Center)
		require.NotContains(t, want[:i], c.Center)
	}
	sizes := make([]int64, len(want))
	for range o.Rounds {
		sums := make([][]float64, len(want))
		for i := range sums {
			sums[i], sizes[i] = make([]float64, 2), 0
		}
		for _, p := range points {
			best, least := 0, 1e300
			for i, c := range want {
				if d := (p[0]-c[0])*(p[0]-c[0]) + (p[1]-c[1])*(p[1]-c[1]); d < least {
					best, least = i, d
				}
			}
			sums[best][0], sums[best][1], sizes[best] = sums[best][0]+p[0], sums[best][1]+p[1], sizes[best]+1
		}
		for i, s := range sums {
			want[i] = []float64{s[0] / float64(sizes[i]), s[1] / float64(sizes[i])}
		}
	}
	var first []Cluster
	for _, s := range someSettings() {
		got, err := KMeans(t.Context(), runner(t, s), mapreduce.Lines(sources(text)...), o)
		require.NoError(t, err)
		for i, c := range got {
			require.InDeltaSlice(t, want[i], c.Center, 1e-9, "%+v", s)
			require.Equal(t, sizes[i], c.Size)
		}
		if first == nil {
			first = got
		}
		require.Equal(t, first, got, "the same bits, however the jobs run")
	}
}

// Initial centers are drawn as in k-means++. Each point is equally probable as the first, and each
// as the second in proportion to its squared distance. A point that occurs twice counts twice.
func TestKMeansDrawsBySquares(t *testing.T) {
	const seeds = 3000
	in := mapreduce.Lines(sources("0\n0\n1\n4\n")...)
	drawn := map[[2]float64]float64{}
	for seed := range uint64(seeds) {
		begun, err := KMeansOptions{Clusters: 2, Seed: seed}.start(t.Context(), locally, in)
		require.NoError(t, err)
		drawn[[2]float64{begun[0].Center[0], begun[1].Center[0]}]++
	}
	for pair, p := range map[[2]float64]float64{
		{0, 1}: 1. / 2 * 1 / 17, {0, 4}: 1. / 2 * 16 / 17,
		{1, 0}: 1. / 4 * 2 / 11, {1, 4}: 1. / 4 * 9 / 11,
		{4, 0}: 1. / 4 * 32 / 41, {4, 1}: 1. / 4 * 9 / 41,
	} {
		require.InDelta(t, p*seeds, drawn[pair], 4*math.Sqrt(p*(1-p)*seeds), "%v", pair)
	}
}

// Beyond 32 centers, one job draws several points at once, and all of them differ.
func TestKMeansDrawsSeveralAtOnce(t *testing.T) {
	draws := 0
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "%d\n%d\n", i%150, i%150)
	}
	var first []Cluster
	for _, s := range someSettings() {
		run := func(ctx context.Context, p *mapreduce.Plan) (*counter.Set, error) {
			draws++
			return runner(t, s)(ctx, p)
		}
		begun, err := KMeansOptions{Clusters: 150}.start(t.Context(), run, mapreduce.Lines(sources(text.String())...))
		require.NoError(t, err)
		seen := map[float64]bool{}
		for _, c := range begun {
			seen[c.Center[0]] = true
		}
		require.Len(t, seen, 150)
		if first == nil {
			first = begun
			require.Equal(t, 32, draws)
		}
		require.Equal(t, first, begun)
	}
}

// KMeans ends when no center moves. Equal points give at most one initial center.
func TestKMeansEnds(t *testing.T) {
	jobs := 0
	count := func(ctx context.Context, p *mapreduce.Plan) (*counter.Set, error) {
		jobs++
		return runner(t, someSettings()[0])(ctx, p)
	}
	src := mapreduce.Lines(sources("1\t1\n1.0\t1\n9\t9\r\n1\t01\n")...)
	got, err := KMeans(t.Context(), count, src, KMeansOptions{Clusters: 2, Rounds: 50})
	require.NoError(t, err)
	slices.SortFunc(got, func(a, b Cluster) int { return slices.Compare(a.Center, b.Center) })
	require.Equal(t, []Cluster{{[]float64{1, 1}, 3}, {[]float64{9, 9}, 1}}, got)
	require.Equal(t, 3, jobs, "a draw for each center, and a round that moves nothing")
	_, err = KMeans(t.Context(), count, src, KMeansOptions{Clusters: 3})
	require.ErrorContains(t, err, "2 different points are too few for 3 clusters")
}

func TestKMeansRefuses(t *testing.T) {
	run := runner(t, someSettings()[0])
	for text, reason := range map[string]string{
		"1\tx\n":              `"x" is no decimal number`,
		"1\t2\n3\n4\t5\n6\t7": "coordinates",
		"1\t2\n1\t2\n1\n":     "coordinates",
	} {
		_, err := KMeans(t.Context(), run, mapreduce.Lines(sources(text)...), KMeansOptions{Clusters: 1})
		require.ErrorContains(t, err, reason)
	}
	stream := mapreduce.Stream("a pipe", strings.NewReader("1\n"))
	_, err := KMeans(t.Context(), run, mapreduce.Lines(stream), KMeansOptions{Clusters: 1})
	require.ErrorIs(t, err, cluster.ErrConsumed)
	for _, o := range []KMeansOptions{{}, {Clusters: 10_001}, {Clusters: 1, Rounds: -1}} {
		_, err := KMeans(t.Context(), run, mapreduce.Lines(sources("1\n")...), o)
		require.ErrorContains(t, err, "want 1 to 10000 clusters")
	}
}

// locally is a Runner that runs plans in this goroutine, for examples.
func locally(ctx context.Context, p *mapreduce.Plan) (*counter.Set, error) {
	return mapreduce.RunLocal(ctx, p, mapreduce.LocalOptions{})
}

func ExamplePageRank() {
	web := mapreduce.Bytes("web", []byte("home\tshop\nhome\tblog\nshop\thome\nblog\thome\nblog\tshop\nblog\tabout\n"))
	ranks, err := PageRank(ctx, locally, mapreduce.Lines(web), PageRankOptions{})
	if err != nil {
		panic(err)
	}
	for _, r := range ranks {
		fmt.Printf("%.4f %s\n", r.Second, r.First)
	}
	// Output:
	// 0.1271 about
	// 0.2210 blog
	// 0.3682 home
	// 0.2836 shop
}

func ExampleComponents() {
	edges := mapreduce.Bytes("edges", []byte("b\tc\nd\te\nc\ta\nf\n"))
	members, err := Components(ctx, locally, mapreduce.Lines(edges))
	if err != nil {
		panic(err)
	}
	for _, m := range members {
		fmt.Printf("%s is with %s\n", m.First, m.Second)
	}
	// Output:
	// a is with a
	// b is with a
	// c is with a
	// d is with d
	// e is with d
	// f is with f
}

func ExampleKMeans() {
	points := mapreduce.Bytes("points", []byte("0,0\n0,1\n9,9\n9,8\n"))
	clusters, err := KMeans(ctx, locally, mapreduce.Lines(points), KMeansOptions{Clusters: 2, Separator: ','})
	if err != nil {
		panic(err)
	}
	slices.SortFunc(clusters, func(a, b Cluster) int { return slices.Compare(a.Center, b.Center) })
	fmt.Println(clusters)
	// Output:
	// [{[0 0.5] 2} {[9 8.5] 2}]
}
