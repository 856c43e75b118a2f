package mapreduce_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/dfs/stores"
	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// written returns what an output writes for these records.
func written[O any](t *testing.T, out func(Destination) Output[O], records ...O) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, ran(passOn[O]().Bind(Slice(records), out(Writer("-", &b)))))
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

// pieces is a destination that records the size of each write to its one part.
type pieces struct {
	output.BufferedStore
	sizes []int
}

func (p *pieces) Create(to output.Part) (io.WriteCloser, error) {
	w, err := p.BufferedStore.Create(to)
	return &countedWriter{w, &p.sizes}, err
}

type countedWriter struct {
	io.WriteCloser
	sizes *[]int
}

func (c *countedWriter) Write(p []byte) (int, error) {
	*c.sizes = append(*c.sizes, len(p))
	return c.WriteCloser.Write(p)
}

// Records are written in pieces of the buffer's size, whether a skip may revoke them or not. A
// write per record would be slow, and one write for all would need too much memory.
func TestRecordsAreWrittenInPieces(t *testing.T) {
	const n = 20_000
	in := Lines(Bytes("in", []byte(strings.Repeat(strings.Repeat("x", 99)+"\n", n))))
	for name, bind := range map[string]func(Destination) (*Plan, error){
		"plain": func(d Destination) (*Plan, error) { return keepLines().Bind(in, Text[[]byte](d)) },
		"encoded": func(d Destination) (*Plan, error) {
			return Apply(func(line []byte) string { return string(line) }).Bind(in, Text[string](d))
		},
	} {
		for _, skips := range []int{0, 1} {
			to := new(pieces)
			p := must(bind(output.To(to)))(t)
			require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{}))
			must(p.RunMap(t.Context(), &cluster.MapAttempt{Split: cluster.Split{Length: n * 100}, MaxSkips: skips}))(t)
			total := 0
			for i, size := range to.sizes {
				total += size
				require.Less(t, size, output.FlushSize+200, name)
				if i < len(to.sizes)-1 {
					require.GreaterOrEqual(t, size, output.FlushSize, name)
				}
			}
			require.Equal(t, n*100, total, name)
		}
	}
}

// fullDisk is a store on which each write of a part fails.
type fullDisk struct{ *frailOutput }

func (f fullDisk) Begin(string, string) (stores.Part, error) { return f, nil }
func (fullDisk) Write([]byte) (int, error)                   { return 0, syscall.ENOSPC }
func (fullDisk) Close() error                                { return nil }
func (fullDisk) Receipt() string                             { return "" }
func (fullDisk) Abort() error                                { return nil }

// If its output cannot be written, a map ends before the end of its input, whether records are
// written as they are or encoded.
func TestFailedOutputEndsTheMap(t *testing.T) {
	line := bytes.Repeat([]byte("x"), 1000)
	requireEndsEarly(t, line)
	requireEndsEarly(t, bytes.Repeat(line, 40)) // written directly
	requireEndsEarly(t, Pair[[]byte, int]{line, 1})
}

func requireEndsEarly[O any](t *testing.T, record O) {
	t.Helper()
	const records = 20_000
	calls := 0
	disk := fullDisk{soundOutput(t)}
	p := must(MapOnly[int, O]{Map: func(_ int, emit func(O)) error {
		calls++
		emit(record)
		return nil
	}}.Bind(Slice(make([]int, records)), Text[O](storeDir(disk))))(t)
	require.ErrorIs(t, runApart(t.Context(), p, true), syscall.ENOSPC)
	require.Less(t, calls, records/2)
}

func TestCompressionsHaveNames(t *testing.T) {
	for _, kind := range []Compression{NoCompression, Gzip, Zstd, S2} {
		var parsed Compression
		require.NoError(t, parsed.UnmarshalText([]byte(kind.String())))
		require.Equal(t, kind, parsed)
	}
	require.ErrorContains(t, new(Compression).UnmarshalText([]byte("rar")), "want none, gzip, zstd or s2")
}

func TestOutputInDFSIsInputOfTheNextJob(t *testing.T) {
	fsys := must(dfs.New(dfs.Config{Nodes: []dfs.Node{{ID: "a"}, {ID: "b"}}, BlockSize: 5}))(t)
	text := []byte("one\ntwo\nthree\nfour")
	p := must(keepLines().Bind(Lines(Bytes("text", text)), Text[[]byte](InDFS(fsys, "d/out"))))(t)
	engine(t, p, 0, p.Job().BlocksOf(6), cluster.Resources{})
	p = must(keepLines().Bind(Lines(Bytes("text", text)), Text[[]byte](InDFS(fsys, "d/out"))))(t)
	require.ErrorIs(t, p.SetupJob(), ErrOutputExists)

	var sources []Source
	for _, e := range must(fsys.ReadDir("d/out"))(t) {
		if e.Name() == "_SUCCESS" {
			continue
		}
		sources = append(sources, must(FS(fsys, "d/out/"+e.Name()))(t)...)
	}
	require.Len(t, sources, 3)
	var out Collected[[]byte]
	p = must(keepLines().Bind(Lines(sources...), out.Output()))(t)
	engine(t, p, 0, func(i int) (list []cluster.Block) {
		for _, b := range must(fsys.Blocks(sources[i].Name()))(t) {
			list = append(list, cluster.Block{Offset: b.Offset, Length: b.Length})
		}
		return list
	}, cluster.Resources{})
	require.Equal(t, "one two three four", string(bytes.Join(must(out.Records())(t), []byte(" "))))

	p = must(keepLines().Bind(Lines(Bytes("text", text)), Text[[]byte](InDFS(fsys, "e"))))(t)
	require.NoError(t, p.SetupJob())
	require.NoError(t, p.AbortJob())
	require.ErrorIs(t, errorOf(fsys.Stat("e")), os.ErrNotExist)
}
