package cli

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/gen"
)

// awkwardText returns lines of words whose lengths are just below and above those at which the
// engine stores words differently. Runs of one length make buffers fill with words of each length.
func awkwardText(r *rand.Rand, lines int) (list []string) {
	for i := range lines {
		var words []string
		for range r.IntN(12) {
			n := []int{1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 200, 300}[(i/40+r.IntN(3))%13]
			w := strings.Repeat(string(rune('a'+r.IntN(20))), n-1) + string(rune('A'+r.IntN(3)))
			words = append(words, w)
		}
		list = append(list, strings.Join(words, " "))
	}
	return list
}

// columnText returns lines of a key, a tab and a decimal number.
func columnText(r *rand.Rand, lines int) (list []string) {
	for range lines {
		key := strings.Repeat("k", []int{1, 15, 16, 17, 40}[r.IntN(5)]) + strconv.Itoa(r.IntN(40))
		list = append(list, fmt.Sprintf("%s\t%d", key, r.IntN(2001)-1000))
	}
	return list
}

// teraText returns records of 100 bytes without the line feed at the end of each.
func teraText(r *rand.Rand, records int) (list []string) {
	for i := range records {
		key := fmt.Sprintf("%s%c%07d", []string{"aa", "aZ", "~~"}[r.IntN(3)], 'a'+r.IntN(2), r.IntN(10)*1000000+i+records)
		list = append(list, key+strings.Repeat(strconv.Itoa(i%10), 89))
	}
	return list
}

// generated returns a function that makes lines of these kinds, as tarry gen does.
func generated(kinds ...gen.Kind) func(r *rand.Rand, lines int) []string {
	return func(r *rand.Rand, lines int) (list []string) {
		for _, kind := range kinds {
			var text strings.Builder
			c := gen.Config{Kind: kind, Bytes: int64(320 + 70*lines), Seed: r.Uint64(), Words: 12}
			if err := gen.Write(context.Background(), &text, c); err != nil {
				panic(err)
			}
			list = append(list, strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")...)
		}
		return list
	}
}

// graphText returns lines of a graph, each an edge between two nodes. Some edges occur repeatedly.
func graphText(r *rand.Rand, edges int) (list []string) {
	node := func() string {
		return strings.Repeat("n", []int{1, 15, 16, 40}[r.IntN(4)]) + strconv.Itoa(r.IntN(40)) + []string{"", ",", "%"}[r.IntN(3)]
	}
	for i := range max(edges/8, 1) {
		list = append(list, node()+"\t"+node())
		if i%5 == 0 {
			list = append(list, list[r.IntN(len(list))])
		}
	}
	return list
}

// cloudText returns lines of points in three clusters that are far from each other.
func cloudText(r *rand.Rand, points int) (list []string) {
	for range points {
		place := r.IntN(3)
		list = append(list, fmt.Sprintf("%.2f\t%.2f", r.NormFloat64()+float64(100000*(place%2)), r.NormFloat64()-float64(100000*(place/2))))
	}
	return list
}

// seriesText returns lines of a key, a time and a number. The times are in random order.
func seriesText(r *rand.Rand, lines int) (list []string) {
	for i, at := range r.Perm(lines) {
		key := strings.Repeat("k", []int{1, 15, 16, 17, 40}[i%5]) + strconv.Itoa(r.IntN(5))
		list = append(list, fmt.Sprintf("%s\t%d\t%d.%02d", key, 1000*lines+at-lines/2, r.IntN(100), r.IntN(100)))
	}
	return list
}

// builtIns returns command lines of tarry run, by the function that makes their input. ordered jobs
// write lines in a fixed order over all parts; the test sorts the output of unordered jobs.
func builtIns() []struct {
	text               func(r *rand.Rand, lines int) []string
	ordered, unordered []string
} {
	return []struct {
		text               func(r *rand.Rand, lines int) []string
		ordered, unordered []string
	}{
		{awkwardText, []string{
			"wordcount --words --top 9", "sort", "sort -r", "sort -u", "sort -s -t ' ' -k 2,2",
			"grep -h aaaB|c{15}[AC]", "grep -h -v [A-B]", "grep -c -F ddA", "grep -h -n -i EEEa", "grep -h -o [a-f]+B",
			"scan --percent 30 --sample 5", "hivesearch --pattern bb",
		}, []string{"wordcount", "wordcount --fold", "index", "distinct", "distinct --count -t ' ' --columns 1"}},
		{columnText, []string{"top -k 25", "sort -k 2,2n -k 1,1r", "histogram --columns 2 --width 50"}, []string{"mean", "secondarysort"}},
		{seriesText, nil, []string{"movingaverage --window 4"}},
		{teraText, []string{"terasort", "teravalidate --any-order"}, nil},
		{generated(gen.Rankings), []string{"hiveselect --above 5"}, nil},
		{generated(gen.Visits), nil, []string{"hiveaggregate", "hiveaggregate --prefix 2"}},
		{generated(gen.Visits, gen.Rankings), []string{"hivejoin --from 1985-01-01 --until 2010-01-01 -k 30"}, nil},
		{graphText, []string{"components", "pagerank --rounds 3 --damping 0.7"}, []string{"adjacency"}},
		{cloudText, nil, []string{"kmeans --clusters 3"}},
	}
}

// settings returns the clusters and memory budgets, as flags, under which each job runs.
func settings() [][]string {
	return [][]string{
		{"--reduces", "3"},
		{"--reduces", "1", "--block-size", "700", "--memory", "1MiB"},
		{"--reduces", "40", "--block-size", "4KiB", "--memory", "64KiB", "--racks", "2", "--nodes", "4"},
	}
}

// On clusters of several settings, each built-in job writes the same lines as with --inline, which
// package jobs tests on its own.
func TestBuiltInJobsOnClusters(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, kind := range builtIns() {
		dir := t.TempDir()
		for i, n := range []int{300, 1, 500} {
			write(t, filepath.Join(dir, fmt.Sprintf("file%d", i)), strings.Join(kind.text(r, n), "\n")+"\n")
		}
		run := func(job string, set ...string) []string {
			o := runHere(t, append(append(splitWords("run "+job), dir, "-q"), set...), nil)
			require.Zero(t, o.code, "%v: %s", job, o.errs)
			return strings.Split(strings.TrimSuffix(o.out, "\n"), "\n")
		}
		for i, job := range slices.Concat(kind.ordered, kind.unordered) {
			want := run(job, "--inline")
			require.NotEqual(t, []string{""}, want, job)
			for _, set := range settings() {
				if slices.Contains([]string{"grep", "top", "scan", "hivesearch", "hiveselect", "teravalidate"}, strings.Fields(job)[0]) { // one reduce, or none
					set = set[2:]
				}
				got := run(job, set...)
				if i >= len(kind.ordered) {
					slices.Sort(want)
					slices.Sort(got)
				}
				if strings.HasPrefix(job, "pagerank") {
					got = rounded(want, got, 1e-9)
				}
				sameLines(t, want, got, append(set, job))
			}
		}
	}
}

// rounded returns got, with want's lines where numbers differ by at most the fraction within.
func rounded(want, got []string, within float64) []string {
	near := func(a, b string) bool {
		x, badX := strconv.ParseFloat(a, 64)
		y, badY := strconv.ParseFloat(b, 64)
		return a == b || badX == nil && badY == nil && math.Abs(x-y) <= within*max(math.Abs(x), math.Abs(y))
	}
	for i := range min(len(want), len(got)) {
		if slices.EqualFunc(strings.Split(want[i], "\t"), strings.Split(got[i], "\t"), near) {
			got[i] = want[i]
		}
	}
	return got
}

// sameLines fails the test if want and got differ, and shows only the first line that differs.
func sameLines(t *testing.T, want, got, args []string) {
	t.Helper()
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	if i < max(len(want), len(got)) {
		w, g := append(want, "nothing"), append(got, "nothing")
		t.Errorf("tarry %v: line %d of %d\nwant %.200q\ngot  %.200q", args, i+1, len(want), w[min(i, len(want))], g[min(i, len(got))])
	}
}
