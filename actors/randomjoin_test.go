package actors

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tarry-mr/tarry/mapreduce"
)

// randomJoin is a job over two lists of lines whose result plain Go code can compute. A line is a
// key, a tab and a text.
type randomJoin struct {
	shape       string
	left, right []string
	reduces     int
	lines       bool   // inputs are files of lines, otherwise slices
	failures    uint64 // seed of failsAt; 0: no attempt fails
}

func (j *randomJoin) String() string {
	return fmt.Sprintf("%s of %d and %d records, %d reduces, lines %t, failures %t", j.shape, len(j.left), len(j.right),
		j.reduces, j.lines, j.failures != 0)
}

func (j *randomJoin) parts() int { return j.reduces }
func (j *randomJoin) size() int  { return len(j.left) + len(j.right) }
func (j *randomJoin) calm()      { j.failures = 0 }

// joining is a trial of a job with several inputs or of one built from operators such as Distinct.
func joining(t *testing.T, seed uint64, r *rand.Rand) {
	j := &randomJoin{
		shape:   pick(r, "join", "left join", "full join", "group", "feeds", "distinct", "top", "count"),
		reduces: pick(r, 1, 2, 3, 7), lines: r.IntN(2) == 0,
	}
	if r.IntN(2) == 0 {
		j.failures = r.Uint64() | 1
	}
	for _, list := range []*[]string{&j.left, &j.right} {
		for range pick(r, 0, 1, 20, 200) {
			*list = append(*list, shortText(r)+pick(r, "", "", "1", "2", "3")+"\t"+shortText(r))
		}
	}
	runRandom(t, seed, r, j, j.bind)
}

// in returns an input of lines.
func (j *randomJoin) in(list []string) mapreduce.Input[string] {
	if !j.lines {
		return mapreduce.Slice(list)
	}
	text := func(list []string) []byte { return []byte(strings.Join(append(slices.Clone(list), ""), "\n")) }
	half := len(list) / 2
	return mapreduce.LineStrings(mapreduce.Bytes("one", text(list[:half])), mapreduce.Bytes("two", text(list[half:])))
}

// feed returns a feed of the keys and texts of a list. Its maps fail as failsAt says.
func (j *randomJoin) feed(list []string) mapreduce.Feed[string, string] {
	return mapreduce.From(j.in(list), func(t *mapreduce.Task, line string, emit func(string, string)) error {
		key, text, _ := strings.Cut(line, "\t")
		emit(key, text)
		return failsAt(j.failures, t.ID(), int(t.Offset()))
	})
}

// row returns the expected line of a join for a key and its two texts; nil becomes a dash.
func row(key string, a, b *string) string {
	text := func(s *string) string {
		if s == nil {
			return "-"
		}
		return fmt.Sprintf("%q", *s)
	}
	return fmt.Sprintf("%q: %s %s", key, text(a), text(b))
}

func keyOf(line string) string {
	key, _, _ := strings.Cut(line, "\t")
	return key
}

func textOf(line string) string {
	_, text, _ := strings.Cut(line, "\t")
	return text
}

func byLength(a, b string) int { return cmp.Compare(len(a), len(b)) }

// bind returns a plan of the job that writes to the directory.
func (j *randomJoin) bind(dir string) (*mapreduce.Plan, error) {
	out := mapreduce.Text[string](mapreduce.Dir(dir))
	left, right := j.feed(j.left), j.feed(j.right)
	pairs := func(key string, a, b *string, emit func(string)) error {
		emit(row(key, a, b))
		return nil
	}
	var joined mapreduce.Joined[string]
	switch j.shape {
	case "join":
		joined = mapreduce.Join(left, right, func(key, a, b string, emit func(string)) error { return pairs(key, &a, &b, emit) })
	case "left join":
		joined = mapreduce.LeftJoin(left, right, func(key, a string, b *string, emit func(string)) error { return pairs(key, &a, b, emit) })
	case "full join":
		joined = mapreduce.FullJoin(left, right, pairs)
	case "group":
		joined = mapreduce.CoGroup(left, right, func(key string, as []string, bs iter.Seq[string], emit func(string)) error {
			emit(fmt.Sprintf("%q: %q %q", key, as, slices.Collect(bs)))
			return nil
		})
	default:
		return j.bindOne(dir)
	}
	joined.Reducers = j.reduces
	return joined.Bind(out)
}

// bindOne is bind for the shapes that have one input, which may consist of several feeds.
func (j *randomJoin) bindOne(dir string) (*mapreduce.Plan, error) {
	out := mapreduce.Text[string](mapreduce.Dir(dir))
	switch j.shape {
	case "feeds":
		job := mapreduce.Job[mapreduce.TaggedRecord[string, string], string, string, string]{
			Reducers: j.reduces,
			ReduceTask: func(t *mapreduce.Task) (mapreduce.Reducer[string, string, string], error) {
				return mapreduce.Reducer[string, string, string]{Reduce: func(key string, values iter.Seq[string], emit func(string)) error {
					emit(fmt.Sprintf("%q: %q", key, slices.Collect(values)))
					return failsAt(j.failures, t.ID(), len(key))
				}}, nil
			},
		}
		return job.Bind(mapreduce.Feeds(j.feed(j.left), j.feed(j.right), j.feed(j.left)), out)
	case "distinct":
		job := mapreduce.Distinct[string]()
		job.Reducers = j.reduces
		return job.Bind(j.in(j.left), out)
	case "top":
		job := mapreduce.TopPerKey(2, keyOf, byLength)
		job.Reducers = j.reduces
		return job.Bind(j.in(j.left), out)
	default:
		count := mapreduce.CountDistinct(keyOf, textOf)
		count.Reducers = j.reduces
		return count.Bind(j.in(j.left), mapreduce.Encoded(mapreduce.Dir(dir), countText))
	}
}

func countText(dst []byte, c mapreduce.Pair[string, int64]) ([]byte, error) {
	return fmt.Appendf(dst, "%q: %d\n", c.First, c.Second), nil
}

// want returns the lines that the job writes, in the order of their keys.
func (j *randomJoin) want() (lines []string) {
	left, right := map[string][]string{}, map[string][]string{}
	for _, line := range j.left {
		left[keyOf(line)] = append(left[keyOf(line)], textOf(line))
	}
	for _, line := range j.right {
		right[keyOf(line)] = append(right[keyOf(line)], textOf(line))
	}
	var keys []string
	for _, line := range slices.Concat(j.left, j.right) {
		keys = append(keys, keyOf(line))
	}
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		lines = append(lines, j.wantOf(key, left[key], right[key])...)
	}
	return lines
}

// wantOf returns the expected lines of a key with the texts as on the left and bs on the right.
func (j *randomJoin) wantOf(key string, as, bs []string) (lines []string) {
	switch j.shape {
	case "group":
		return []string{fmt.Sprintf("%q: %q %q", key, as, bs)}
	case "feeds":
		return []string{fmt.Sprintf("%q: %q", key, slices.Concat(as, bs, as))}
	case "join", "left join", "full join":
		for i := range bs {
			for k := range as {
				lines = append(lines, row(key, &as[k], &bs[i]))
			}
			if len(as) == 0 && j.shape == "full join" {
				lines = append(lines, row(key, nil, &bs[i]))
			}
		}
		for i := range as {
			if len(bs) == 0 && j.shape != "join" {
				lines = append(lines, row(key, &as[i], nil))
			}
		}
		return lines
	}
	if len(as) == 0 {
		return nil
	}
	if j.shape == "count" {
		return []string{fmt.Sprintf("%q: %d", key, len(slices.Compact(slices.Sorted(slices.Values(as)))))}
	}
	for _, text := range slices.Sorted(slices.Values(as)) {
		lines = append(lines, key+"\t"+text)
	}
	if j.shape == "distinct" {
		return slices.Compact(lines)
	}
	slices.SortStableFunc(lines, func(a, b string) int { return byLength(b, a) })
	return lines[:min(2, len(lines))]
}

func (j *randomJoin) check(t *testing.T, got [][]string, desc string) {
	lines := j.want()
	if j.shape == "distinct" { // the key is the whole line
		slices.Sort(lines)
	}
	checkHashed(t, lines, got, desc)
}
