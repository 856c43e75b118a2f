package cli

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plainFile is an input file as lines, without their line feeds.
type plainFile struct {
	name  string
	lines []string
}

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

func address(r *rand.Rand) string {
	return strings.Repeat("u", []int{1, 15, 16, 33}[r.IntN(4)]) + strconv.Itoa(r.IntN(9))
}

// rankingsText and visitsText return rows of the tables rankings and visits of Hive's benchmark.
func rankingsText(r *rand.Rand, rows int) (list []string) {
	for range rows {
		list = append(list, fmt.Sprintf("%s|%d|%d", address(r), r.IntN(300), r.IntN(9)))
	}
	return list
}

func visitsText(r *rand.Rand, rows int) (list []string) {
	for range rows {
		list = append(list, fmt.Sprintf("10.0.%d.%d|%s|%d-0%d-1%d|%d.%02d|ie|de|de|word|7", r.IntN(3), r.IntN(12), address(r),
			1998+r.IntN(3), 1+r.IntN(9), r.IntN(10), r.IntN(1000), r.IntN(100)))
	}
	return list
}

func tablesText(r *rand.Rand, rows int) []string {
	list := append(rankingsText(r, rows/8), visitsText(r, rows)...)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
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

func plainCounts(words []string) []string {
	n := map[string]int{}
	for _, w := range words {
		n[w]++
	}
	var list []string
	for w, c := range n {
		list = append(list, fmt.Sprintf("%s\t%d", w, c))
	}
	slices.Sort(list)
	return list
}

func plainWords(files []plainFile) (words []string) {
	for _, f := range files {
		words = append(words, strings.Fields(strings.Join(f.lines, "\n"))...)
	}
	return words
}

func plainIndex(files []plainFile) (list []string) {
	names := map[string][]string{}
	for _, f := range files {
		for _, w := range plainWords([]plainFile{f}) {
			if !slices.Contains(names[w], f.name) {
				names[w] = append(names[w], f.name)
			}
		}
	}
	for w, l := range names {
		list = append(list, fmt.Sprintf("%s\t%d\t%s", w, len(l), strings.Join(l, ",")))
	}
	slices.Sort(list)
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
		{rankingsText, []string{"hiveselect --above 250"}, nil},
		{visitsText, nil, []string{"hiveaggregate", "hiveaggregate --prefix 6"}},
		{tablesText, []string{"hivejoin --from 1999-02-14 --until 2000-03-16 -k 30"}, nil},
		{graphText, []string{"components", "pagerank --rounds 3 --damping 0.7"}, []string{"adjacency"}},
		{cloudText, nil, []string{"kmeans --clusters 3"}},
	}
}

// plainPrograms returns, by command line, simple Go code for jobs whose maps have a fast path.
func plainPrograms() map[string]func(files []plainFile) []string {
	return map[string]func(files []plainFile) []string{
		"wordcount": func(f []plainFile) []string { return plainCounts(plainWords(f)) },
		"wordcount --fold": func(f []plainFile) []string {
			return plainCounts(strings.Fields(strings.ToLower(strings.Join(plainWords(f), " "))))
		},
		"wordcount --words --top 9": func(f []plainFile) []string {
			counts := plainCounts(plainWords(f))
			slices.SortStableFunc(counts, func(a, b string) int { return cmp.Compare(countOf(b), countOf(a)) })
			return counts[:9]
		},
		"index": plainIndex,
	}
}

func countOf(line string) int {
	_, digits, _ := strings.Cut(line, "\t")
	n, _ := strconv.Atoi(digits)
	return n
}

// settings returns the clusters and memory budgets, as flags, under which each job runs.
func settings() [][]string {
	return [][]string{
		{"--reduces", "3"},
		{"--reduces", "1", "--block-size", "700", "--memory", "1MiB"},
		{"--reduces", "40", "--block-size", "4KiB", "--memory", "64KiB", "--racks", "2", "--nodes", "4"},
	}
}

// On clusters of several settings, each built-in job writes the same lines as its plain program. A
// job without one writes the same as with --inline, which package jobs tests on its own.
func TestBuiltInJobsArePlainPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, kind := range builtIns() {
		var files []plainFile
		dir := t.TempDir()
		for i, n := range []int{300, 1, 500} {
			f := plainFile{filepath.Join(dir, fmt.Sprintf("file%d", i)), kind.text(r, n)}
			write(t, f.name, strings.Join(f.lines, "\n")+"\n")
			files = append(files, f)
		}
		run := func(job string, set ...string) []string {
			o := runHere(t, append(append(splitWords("run "+job), dir, "-q"), set...), nil)
			require.Zero(t, o.code, "%v: %s", job, o.errs)
			return strings.Split(strings.TrimSuffix(o.out, "\n"), "\n")
		}
		for i, job := range slices.Concat(kind.ordered, kind.unordered) {
			var want []string
			if plain := plainPrograms()[job]; plain != nil {
				want = plain(files)
			} else {
				want = run(job, "--inline")
			}
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
