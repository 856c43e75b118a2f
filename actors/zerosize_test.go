package actors

import (
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

// version is a type of size zero that encodes itself, as "v1".
type version struct{}

func (version) MarshalBinary() ([]byte, error) { return []byte("v1"), nil }

func (*version) UnmarshalBinary(b []byte) error {
	if string(b) != "v1" {
		return fmt.Errorf("no version: %q", b)
	}
	return nil
}

type versioned struct {
	Text string
	V    version
}

// zeroSizeJob returns a job that maps lines to keys and values, and writes the text of each pair.
func zeroSizeJob[K, V any](key func(line string) K, value func(line string) V, text func(K, V) string) mapreduce.Job[string, K, V, string] {
	return mapreduce.Job[string, K, V, string]{
		Map: func(line string, emit func(K, V)) error {
			emit(key(line), value(line))
			return nil
		},
		Reduce: func(k K, vs iter.Seq[V], emit func(string)) error {
			n := 0
			for v := range vs {
				n++
				emit(text(k, v))
			}
			if n == 0 {
				return errors.New("a key without a value")
			}
			return nil
		},
		Reducers: 2,
	}
}

// Keys and values of size zero with MarshalBinary pass the shuffle like any others, sorted and
// combined, also as a struct's last field.
func TestZeroSizeTypesPassTheShuffle(t *testing.T) {
	c := start(t, Config{Nodes: 2, BlockSize: 4})
	lines := mapreduce.LineStrings(mapreduce.Bytes("text", []byte("abc\nde\nabc\n\nf\n")))
	texts := []string{"", "abc", "abc", "de", "f"}

	zeroSizeOn(t, c, lines, texts, zeroSizeJob(
		func(line string) versioned { return versioned{Text: line} }, func(string) version { return version{} },
		func(k versioned, _ version) string { return k.Text }), func(a, _ version) version { return a }, []string{"", "abc", "de", "f"})
	zeroSizeOn(t, c, lines, texts, zeroSizeJob(
		func(string) version { return version{} }, func(line string) versioned { return versioned{Text: line} },
		func(_ version, v versioned) string { return v.Text }),
		func(a, b versioned) versioned { return largerText(a, b) }, []string{"f"})
	zeroSizeOn(t, c, lines, texts, zeroSizeJob(
		func(line string) string { return line }, func(string) [2]version { return [2]version{} },
		func(k string, _ [2]version) string { return k }), func(a, _ [2]version) [2]version { return a }, []string{"", "abc", "de", "f"})
	zeroSizeOn(t, c, lines, []string{"5", "5", "5", "5", "5"}, zeroSizeJob(
		func(string) version { return version{} }, func(string) version { return version{} },
		func(version, version) string { return "5" }), func(a, _ version) version { return a }, []string{"5"})
}

func largerText(a, b versioned) versioned {
	if a.Text > b.Text {
		return a
	}
	return b
}

// zeroSizeOn requires the output want from a job, and with Combine the output combined.
func zeroSizeOn[K, V any](t *testing.T, c *Cluster, in mapreduce.Input[string], want []string,
	job mapreduce.Job[string, K, V, string], combine func(a, b V) V, combined []string,
) {
	for _, want := range [][]string{want, combined} {
		for _, descending := range []bool{false, true} {
			job.Descending = descending
			got, err := Collect(t.Context(), c, job.On(in))
			require.NoError(t, err)
			require.ElementsMatch(t, want, got, "%T", job)
		}
		job.Combine = combine
	}
}

// Records with a field of size zero survive a dataset and a typed file.
func TestZeroSizeTypesAreKept(t *testing.T) {
	c := start(t, Config{Nodes: 2, BlockSize: 4})
	lines := mapreduce.LineStrings(mapreduce.Bytes("text", []byte("abc\nde\n")))
	each := mapreduce.Each(func(line string) versioned { return versioned{Text: line} })
	d, err := Keep(t.Context(), c, each.On(lines))
	require.NoError(t, err)
	same := mapreduce.Each(func(v versioned) versioned { return v })
	got, err := Collect(t.Context(), c, same.On(d.Input()))
	require.NoError(t, err)
	require.ElementsMatch(t, []versioned{{Text: "abc"}, {Text: "de"}}, got)

	dir := t.TempDir() + "/typed"
	p, err := each.Bind(lines, mapreduce.Typed[versioned](mapreduce.Dir(dir)))
	require.NoError(t, err)
	c.submit(t, p, SubmitOptions{}).wait(t)
	files, err := mapreduce.Files(dir)
	require.NoError(t, err)
	got, err = Collect(t.Context(), c, same.On(mapreduce.ReadTyped[versioned](files...)))
	require.NoError(t, err)
	require.ElementsMatch(t, []versioned{{Text: "abc"}, {Text: "de"}}, got)
}
