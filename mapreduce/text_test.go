package mapreduce

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// written returns the text that an output writes for records.
func written[O any](t *testing.T, out func(Destination) Output[O], records ...O) string {
	t.Helper()
	var b bytes.Buffer
	job := MapOnly[O, O]{Map: func(in O, emit func(O)) error { emit(in); return nil }}
	p := must(job.Bind(Slice(records), out(Writer("-", &b))))(t)
	runEngine(t, p, 0, nil, cluster.Resources{})
	return b.String()
}

type weekday int

func (d weekday) String() string { return "day " + strconv.Itoa(int(d)) }

func TestTextOfEachType(t *testing.T) {
	require.Equal(t, "a\n\nb c\n", written(t, Text[string], "a", "", "b c"))
	require.Equal(t, "a\n", written(t, Text[[]byte], []byte("a")))
	require.Equal(t, "-1\n9223372036854775807\n", written(t, Text[int64], -1, math.MaxInt64))
	require.Equal(t, "-128\n", written(t, Text[int8], -128))
	require.Equal(t, "255\n", written(t, Text[uint8], 255))
	require.Equal(t, "18446744073709551615\n", written(t, Text[uint64], math.MaxUint64))
	require.Equal(t, "0.1\n1e+21\nNaN\n", written(t, Text[float64], 0.1, 1e21, math.NaN()))
	require.Equal(t, "0.1\n", written(t, Text[float32], 0.1))
	require.Equal(t, "true\n", written(t, Text[bool], true))
	require.Equal(t, "abc\n", written(t, Text[[3]byte], [3]byte{'a', 'b', 'c'}))
	require.Equal(t, "1,2\n\n", written(t, Text[[]int], []int{1, 2}, nil))
	require.Equal(t, "day 3\n", written(t, Text[weekday], 3))
	require.Equal(t, "10.0.0.1\n", written(t, Text[netip.Addr], netip.MustParseAddr("10.0.0.1")))
	require.Equal(t, "2026-11-21T00:00:00Z\n",
		written(t, Text[time.Time], time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)))
	require.Equal(t, "a\t1\n", written(t, Text[Pair[string, int]], MakePair("a", 1)))
	require.Equal(t, "a\n", written(t, Text[Pair[string, None]], MakePair("a", None{})))
	require.Equal(t, "x\ty\t2.5\n", written(t, Text[Pair[string, Pair[string, float64]]],
		MakePair("x", MakePair("y", 2.5))))
}

func TestOtherForms(t *testing.T) {
	csv := func(to Destination) Output[Pair[string, int]] { return textWith[Pair[string, int]](to, ",", ";") }
	require.Equal(t, "a,1;b,2;", written(t, csv, MakePair("a", 1), MakePair("b", 2)))
	require.Equal(t, "k1k2", written(t, Raw[Pair[string, string]], MakePair("k", "1"), MakePair("k", "2")))
	quoted := func(to Destination) Output[string] {
		return Encoded(to, func(dst []byte, s string) ([]byte, error) { return strconv.AppendQuote(dst, s), nil })
	}
	require.Equal(t, `"a""b\n"`, written(t, quoted, "a", "b\n"))
}

func TestFailingEncoderFailsTheAttempt(t *testing.T) {
	bad := errors.New("cannot encode")
	var b bytes.Buffer
	p := must(keepLines().Bind(Lines(textOf("a\nb\n")), Encoded(Writer("-", &b), func(dst []byte, rec []byte) ([]byte, error) {
		if string(rec) == "b" {
			return dst, fmt.Errorf("record %q: %w", rec, bad)
		}
		return append(dst, rec...), nil
	})))(t)
	require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{}))
	_, err := p.RunMap(t.Context(), &cluster.MapAttempt{Split: cluster.Split{Length: 4}})
	require.ErrorIs(t, err, bad)
	require.Zero(t, b.Len())
}
