//go:build !race

package differential

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// joinPath returns a case that runs a join of this kind on records of the named type.
func joinPath(kind, how, types string) func(t *testing.T) error {
	return func(t *testing.T) error {
		return runJoin(t, rand.New(rand.NewPCG(3, 3)), types, [3]int{700, 500, 90}, actors.Config{}, kind, how, 3, false)
	}
}

func keptPaths() []path {
	return []path{
		{"records without pointers are kept as memory", []string{"keyeddataset.go numberOrderOf", "grouped.go next: memory.Cast"}, joinPath("grouped", "kept", "tally")},
		{"records are kept as they lie", []string{"kept/flat.go appendFlat", "kept/flat.go read"}, joinPath("full", "kept", "entry")},
		{"numbers of kept records are read where they lie", []string{"kept/flat.go read: pos + 4 + f.step", "kept/flat.go set: at.SetSlice("}, joinPath("grouped", "kept", "page")},
		{"groups are read where they lie", []string{"grouped.go takeGroup", "grouped.go run"}, joinPath("grouped", "kept", "entry")},
		{"a join hands encoded values on", []string{"joinreduce.go eachPair", "joinreduce.go takeRight"}, joinPath("inner", "slices", "entry")},
		{"a broadcast join has several matches for a key", []string{"combine/lookup.go Add: append(l.lists"}, joinPath("broadcast", "slices", "entry")},
		{"a broadcast join looks 32 keys up at a time", []string{"typedhalf.go newBoundMapOnly: f.lookup(batch)", "combine/lookupbatch.go look", "combine/lookupbatch.go touch", "combine/lookup.go grow"}, broadcastLines},
	}
}

// broadcastLines joins lines with a small input in memory. The engine looks up keys in batches
// of 32; the last batch is not full.
func broadcastLines(t *testing.T) error {
	var small, want []string
	var text []byte
	for i := range 100 {
		small = append(small, fmt.Sprint(i%80, " is the ", i, "th"))
	}
	for i := range 501 { // the last batch of 32 lookups is not full
		text = fmt.Appendf(text, "%d\n", i*7%120)
		for k := i * 7 % 120; k < 100 && i*7%120 < 80; k += 80 {
			want = append(want, fmt.Sprintln(i*7%120, small[k]))
		}
	}
	key := func(s string) string { return strings.Fields(s)[0] }
	return collects(t, want, strings.Clone, mapreduce.BroadcastJoin(
		mapreduce.Lines(mapreduce.Bytes("lines", text)), func(line []byte) string { return string(line) },
		mapreduce.Keyed(mapreduce.Slice(small), key), func(line []byte, matches []string, emit func(string)) error {
			for _, m := range matches {
				emit(fmt.Sprintln(string(line), m))
			}
			return nil
		}).Bind)
}

// collects runs a job on small blocks and returns the first difference of its output from want.
func collects[O any](
	t *testing.T, want []string, show func(O) string, bind func(mapreduce.Output[O]) (*mapreduce.Plan, error),
) (wrong error) {
	onCluster(t, actors.Config{BlockSize: 1000}, func(t *testing.T, c *actors.Cluster) {
		list, err := actors.Collect(t.Context(), c, bind)
		var all strings.Builder
		for _, rec := range list {
			all.WriteString(show(rec))
		}
		if wrong = err; err == nil && all.String() != strings.Join(want, "") {
			wrong = errors.New(lineDiff(want, strings.SplitAfter(all.String(), "\n")))
		}
	})
	return wrong
}

// grepping returns a case in which jobs.Grep must select the same lines as package regexp.
func grepping(pattern string, text []byte) func(t *testing.T) error {
	return func(t *testing.T) error {
		re := regexp.MustCompile(pattern)
		var want []string
		for line := range bytes.Lines(text) {
			if re.Match(bytes.TrimSuffix(line, []byte("\n"))) {
				want = append(want, string(line))
			}
		}
		job, err := jobs.Grep(pattern, jobs.GrepOptions{})
		if err != nil {
			return err
		}
		return collects(t, want, func(lines []byte) string { return string(lines) }, job.Over(mapreduce.Chunks(mapreduce.Bytes("text", text))))
	}
}

func jobPaths() []path {
	r := rand.New(rand.NewPCG(7, 7))
	var text []byte
	for i := range 900 {
		for range r.IntN(9) {
			text = append(append(text, "abcdefghij"[:1+r.IntN(10)]...), " \t"[r.IntN(2)])
		}
		text = fmt.Appendf(text, "%d\n", i)
	}
	return []path{
		{"words are found 64 bytes at a time", []string{"scan/scan.go Fields", "jobs/wordcount.go WordCount"}, func(t *testing.T) error { return countWords(t, text) }},
		{"lines are looked for by a text that matches hold", []string{"jobs/internal/search/needles.go line", "jobs/internal/teddy/pair.go Index", "jobs/internal/search/scanner.go matches"}, grepping("abcdefgh[i-j]+ [a-b]+", text)},
		{"all text is read by the automaton", []string{"jobs/internal/search/scanner.go next", "jobs/internal/dfa/search.go run", "jobs/internal/dfa/states.go build"}, grepping("^[a-e]+.[a-e]+ |9$", text)},
		{"the rest of a batch is mapped behind a record that is skipped", []string{"run/mapcode.go mapBatch: for the rest of the batch", "read/stringpiece.go hold", "read/decoded.go batch: at++"}, skipLines},
		{"the automaton looks for the first bytes of a match", []string{"jobs/internal/dfa/search.go skip", "jobs/internal/teddy/teddy.go Index"}, grepping("[cd][de][ef]g|[hj]\\t[a-b]b", text)},
	}
}

// skipLines runs a job that may skip lines: some do not decode, some are not records, and some fail
// in the map. It must map each other line once, in order, with the line's offset.
func skipLines(t *testing.T) (wrong error) {
	var text []byte
	var want []mapreduce.Pair[int64, string]
	bad := 0
	for i := range 1000 {
		line := fmt.Sprint(i, " ", strings.Repeat("x", i*i%90))
		switch {
		case i%7 == 3, i%11 == 5:
			bad++
		case i%5 != 2:
			want = append(want, mapreduce.Pair[int64, string]{First: int64(len(text)), Second: line})
		}
		text = append(text, line+"\n"...)
	}
	onCluster(t, actors.Config{BlockSize: 9000}, func(t *testing.T, c *actors.Cluster) {
		var got mapreduce.Collected[mapreduce.Pair[int64, string]]
		plan, err := mapreduce.Job[string, int64, string, mapreduce.Pair[int64, string]]{MapTask: func(task *mapreduce.Task) (mapreduce.Mapper[string, int64, string], error) {
			return mapreduce.Mapper[string, int64, string]{Map: func(line string, emit func(int64, string)) error {
				if number, _ := numberOf(line); number%11 == 5 {
					return mapreduce.BadRecord(errors.New("the map fails"))
				}
				emit(task.Offset(), line)
				return nil
			}}, nil
		}}.Bind(mapreduce.Decoded(mapreduce.LineStrings(mapreduce.Bytes("lines", text)), func(line string) (string, error) {
			switch number, err := numberOf(line); {
			case err != nil:
				return "", err
			case number%7 == 3:
				return "", mapreduce.BadRecord(errors.New("it does not decode"))
			case number%5 == 2 && number%11 != 5:
				return "", mapreduce.ErrNoRecord
			default:
				return line, nil
			}
		}), got.Output())
		require.NoError(t, err)
		job, err := c.Submit(t.Context(), plan, actors.SubmitOptions{MaxSkips: bad})
		require.NoError(t, err)
		res, err := job.Wait(t.Context())
		require.NoError(t, err)
		require.Len(t, res.Skipped, bad)
		for _, s := range res.Skipped {
			require.True(t, bytes.HasPrefix(text[s.Offset:], []byte(s.Head)), "%d is not where %q begins", s.Offset, s.Head)
		}
		lines, err := got.Records()
		require.NoError(t, err)
		if !slices.Equal(lines, want) {
			wrong = fmt.Errorf("got %v\nwant %v", lines, want)
		}
	})
	return wrong
}

// numberOf returns the number at the beginning of a line.
func numberOf(line string) (int, error) {
	text, _, _ := strings.Cut(line, " ")
	return strconv.Atoi(text)
}

// countWords requires that jobs.WordCount counts the words of the text as a plain loop does.
func countWords(t *testing.T, text []byte) error {
	counts := map[string]int64{}
	for w := range strings.FieldsSeq(string(text)) {
		counts[w]++
	}
	show := func(n jobs.Count) string { return fmt.Sprintf("%s %d\n", n.First, n.Second) }
	var want []string
	for _, w := range slices.Sorted(maps.Keys(counts)) {
		want = append(want, show(jobs.Count{First: []byte(w), Second: counts[w]}))
	}
	return collects(t, want, show, jobs.WordCount().Over(mapreduce.Lines(mapreduce.Bytes("text", text))))
}
