package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// builtIn is a command line of tarry run and what a plain program makes of the same files.
type builtIn struct {
	args    []string // the job and its flags
	ordered bool     // the parts one after the other are in order
	within  float64  // how far floats may be off, relative to the larger
	plain   func(files []plainFile) []string
}

// plainFile is a file of an input, as lines without their ends.
type plainFile struct {
	name  string
	lines []string
}

// awkwardText is lines of words of all lengths around those at which the engine's ways change, in bursts, so that the
// waiting values of one length follow those of another.
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

// columnText is lines of a key, a tab and a decimal number.
func columnText(r *rand.Rand, lines int) (list []string) {
	for range lines {
		key := strings.Repeat("k", []int{1, 15, 16, 17, 40}[r.IntN(5)]) + strconv.Itoa(r.IntN(40))
		list = append(list, fmt.Sprintf("%s\t%d", key, r.IntN(2001)-1000))
	}
	return list
}

func allLines(files []plainFile) (list []string) {
	for _, f := range files {
		list = append(list, f.lines...)
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

func plainWords(files []plainFile) []string {
	return strings.Fields(strings.Join(allLines(files), "\n"))
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

// numberBehind is the number in the second column.
func numberBehind(line string) int64 {
	_, n, _ := strings.Cut(line, "\t")
	x, _ := strconv.ParseInt(n, 10, 64)
	return x
}

func keep(files []plainFile, which func(line string) bool) []string {
	return slices.DeleteFunc(allLines(files), func(line string) bool { return !which(line) })
}

func sortedBy(list []string, compare func(a, b string) int) []string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, compare)
	return list
}

func firstDown(a, b string) int {
	return cmp.Or(-cmp.Compare(numberBehind(a), numberBehind(b)), strings.Compare(a, b))
}

func numbersOfKeys(files []plainFile) map[string][]int64 {
	of := map[string][]int64{}
	for _, line := range allLines(files) {
		key, _, _ := strings.Cut(line, "\t")
		of[key] = append(of[key], numberBehind(line))
	}
	return of
}

// textJobs read awkwardText.
func textJobs() []builtIn {
	return []builtIn{
		{args: []string{"wordcount"}, ordered: false, plain: func(f []plainFile) []string { return plainCounts(plainWords(f)) }},
		{args: []string{"wordcount", "--fold"}, ordered: false, plain: func(f []plainFile) []string {
			return plainCounts(strings.Fields(strings.ToLower(strings.Join(plainWords(f), " "))))
		}},
		{args: []string{"wordcount", "--words", "--top", "9"}, ordered: true, plain: func(f []plainFile) []string {
			return sortedBy(plainCounts(plainWords(f)), firstDown)[:9]
		}},
		{args: []string{"index"}, ordered: false, plain: plainIndex},
		{args: []string{"sort"}, ordered: true, plain: func(f []plainFile) []string { return slices.Sorted(slices.Values(allLines(f))) }},
		{args: []string{"sort", "-r"}, ordered: true, plain: func(f []plainFile) []string {
			return sortedBy(allLines(f), func(a, b string) int { return strings.Compare(b, a) })
		}},
		{args: []string{"sort", "-u"}, ordered: true, plain: func(f []plainFile) []string {
			return slices.Compact(slices.Sorted(slices.Values(allLines(f))))
		}},
		{args: []string{"sort", "-s", "-t", " ", "-k", "2,2"}, ordered: true, plain: func(f []plainFile) []string {
			second := func(line string) string { return append(strings.Split(line, " "), "")[1] }
			return sortedBy(allLines(f), func(a, b string) int { return strings.Compare(second(a), second(b)) })
		}},
		{args: []string{"distinct"}, ordered: false, plain: func(f []plainFile) []string { return slices.Compact(slices.Sorted(slices.Values(allLines(f)))) }},
		{args: []string{"distinct", "--count", "-t", " ", "--column", "1"}, ordered: false, plain: func(f []plainFile) []string {
			var firsts []string
			for _, line := range allLines(f) {
				firsts = append(firsts, strings.Split(line, " ")[0])
			}
			return plainCounts(firsts)
		}},
		{args: []string{"grep", "-h", "aaaB|c{15}[AC]"}, ordered: true, plain: func(f []plainFile) []string {
			return keep(f, func(l string) bool {
				return strings.Contains(l, "aaaB") || strings.Contains(l, strings.Repeat("c", 15)+"A") || strings.Contains(l, strings.Repeat("c", 15)+"C")
			})
		}},
		{args: []string{"grep", "-h", "-v", "[A-B]"}, ordered: true, plain: func(f []plainFile) []string {
			return keep(f, func(l string) bool { return !strings.ContainsAny(l, "AB") })
		}},
		{args: []string{"grep", "-c", "-F", "ddA"}, ordered: true, plain: func(f []plainFile) []string {
			var list []string
			for _, file := range f {
				n := len(keep([]plainFile{file}, func(l string) bool { return strings.Contains(l, "ddA") }))
				list = append(list, fmt.Sprintf("%s:%d", file.name, n))
			}
			return list
		}},
		{args: []string{"grep", "-h", "-n", "-i", "EEEa"}, ordered: true, plain: func(f []plainFile) (list []string) {
			for _, file := range f {
				for i, l := range file.lines {
					if strings.Contains(strings.ToLower(l), "eeea") {
						list = append(list, fmt.Sprintf("%d:%s", i+1, l))
					}
				}
			}
			return list
		}},
		{args: []string{"grep", "-h", "-o", "[a-f]+B"}, ordered: true, plain: func(f []plainFile) (list []string) {
			for _, w := range plainWords(f) { // a word is one letter many times, and another one
				if w[0] <= 'f' && w[len(w)-1] == 'B' && len(w) > 1 {
					list = append(list, w)
				}
			}
			return list
		}},
	}
}

// columnJobs read columnText.
func columnJobs() []builtIn {
	return []builtIn{
		{args: []string{"top", "-k", "25"}, ordered: true, plain: func(f []plainFile) []string { return sortedBy(allLines(f), firstDown)[:25] }},
		{args: []string{"sort", "-k", "2,2n", "-k", "1,1r"}, ordered: true, plain: func(f []plainFile) []string {
			return sortedBy(allLines(f), func(a, b string) int {
				return cmp.Or(cmp.Compare(numberBehind(a), numberBehind(b)), strings.Compare(strings.Split(b, "\t")[0], strings.Split(a, "\t")[0]), strings.Compare(a, b))
			})
		}},
		{args: []string{"mean"}, ordered: false, plain: func(f []plainFile) (list []string) {
			for key, l := range numbersOfKeys(f) {
				sum := int64(0)
				for _, n := range l {
					sum += n
				}
				list = append(list, key+"\t"+strconv.FormatFloat(float64(sum)/float64(len(l)), 'g', -1, 64))
			}
			slices.Sort(list)
			return list
		}},
		{args: []string{"histogram", "--column", "2", "--width", "50"}, ordered: true, plain: func(f []plainFile) (list []string) {
			n := map[int64]int{}
			for _, line := range allLines(f) {
				x := numberBehind(line)
				n[x-((x%50)+50)%50]++
			}
			for _, low := range slices.Sorted(maps.Keys(n)) {
				list = append(list, fmt.Sprintf("%d\t%d", low, n[low]))
			}
			return list
		}},
		{args: []string{"secondarysort"}, ordered: false, plain: func(f []plainFile) (list []string) {
			for key, l := range numbersOfKeys(f) {
				slices.Sort(l)
				for i, n := range l {
					list = append(list, fmt.Sprintf("%s\t%d\t%d", key, n, i+1))
				}
			}
			slices.Sort(list)
			return list
		}},
	}
}

// settings are clusters and budgets under which each job runs.
func settings() [][]string {
	return [][]string{
		{"--reduces", "3"},
		{"--reduces", "1", "--block-size", "700", "--memory", "1MiB"},
		{"--reduces", "40", "--block-size", "4KiB", "--memory", "64KiB", "--racks", "2", "--nodes", "4"},
	}
}

// TestBuiltInJobsArePlainPrograms compares what the built-in jobs write with plain programs.
func TestBuiltInJobsArePlainPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, kind := range []struct {
		jobs []builtIn
		text func(r *rand.Rand, lines int) []string
	}{
		{textJobs(), awkwardText},
		{filterJobs(), awkwardText},
		{columnJobs(), columnText},
		{seriesJobs(), seriesText},
		{teraJobs(), teraText},
		{rankingsJobs(), rankingsText},
		{visitsJobs(), visitsText},
		{tablesJobs(), tablesText},
		{graphJobs(), graphText},
		{cloudJobs(), cloudText},
	} {
		var files []plainFile
		dir := t.TempDir()
		for i, n := range []int{300, 1, 500} {
			f := plainFile{filepath.Join(dir, fmt.Sprintf("file%d", i)), kind.text(r, n)}
			write(t, f.name, strings.Join(f.lines, "\n")+"\n")
			files = append(files, f)
		}
		for _, job := range kind.jobs {
			want := job.plain(files)
			require.NotEmpty(t, want, job.args)
			for _, set := range settings() {
				if slices.Contains([]string{"grep", "top", "scan", "hivesearch", "hiveselect", "teravalidate"}, job.args[0]) { // one reduce, or none
					set = set[2:]
				}
				args := slices.Concat([]string{"run"}, job.args, []string{dir, "-q"}, set)
				o := runHere(t, args, nil)
				require.Zero(t, o.code, "%v: %s", args, o.errs)
				got := strings.Split(string(bytes.TrimSuffix([]byte(o.out), []byte("\n"))), "\n")
				if !job.ordered {
					slices.Sort(got)
				}
				sameLines(t, want, rounded(want, got, job.within), args)
			}
		}
	}
}

// rounded are the lines of got, with those of want where they differ by no more than within in numbers.
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

// sameLines shows the first line that differs only.
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
