package mapreduce

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// perFile is the number of bytes that JoinSmall adds to each file's size.
const perFile = 16 << 10

// filesJob writes each line with its file and number, and a line at the end of each file.
func filesJob() MapOnly[[]byte, string] {
	return MapOnly[[]byte, string]{MapTask: func(t *Task) (Filter[[]byte, string], error) {
		n := 0
		return Filter[[]byte, string]{
			Map: func(line []byte, emit func(string)) error {
				n++
				emit(fmt.Sprintf("%s %d %s", t.InputName(), n, line))
				return nil
			},
			Close: func(emit func(string)) error { emit(t.InputName() + " ends"); return nil },
		}, nil
	}}
}

// mapAll runs the maps of a plan over the splits that cut makes and returns its output.
func mapAll(t *rapid.T, sources []Source, cut func(p *Plan) []cluster.Split) (out string, splits []cluster.Split, c *counter.Set) {
	var b bytes.Buffer
	p := must(filesJob().Bind(Lines(sources...), Text[string](Writer("out", &b))))(t)
	require.NoError(t, p.SetupJob())
	require.NoError(t, p.Prepare(context.Background(), cluster.PrepareOptions{}))
	splits, c = cut(p), new(counter.Set)
	for i, s := range splits {
		a := &cluster.MapAttempt{Index: i, Split: s, Resources: cluster.Resources{Counters: c}}
		must(p.RunMap(context.Background(), a))(t)
		require.NoError(t, p.CommitTask(a.ID()))
	}
	require.NoError(t, p.CommitJob())
	return b.String(), splits, c
}

// TestJoinSmall joins the splits of random small files. The output equals that of separate splits.
// No split is larger than allowed, spans files of different nodes, or has room for the next one.
func TestJoinSmall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`([a-z ]{0,9}\n){0,4}[a-z]{0,3}`), 1, 30).Draw(t, "texts")
		sources := func() (list []Source) {
			for i, text := range texts {
				list = append(list, Bytes(fmt.Sprint("f", i), []byte(text)))
			}
			return list
		}
		hosts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), len(texts), len(texts)).Draw(t, "hosts")
		block := int64(rapid.IntRange(1, 60).Draw(t, "block"))
		limit := int64(rapid.IntRange(1, 10*perFile).Draw(t, "limit"))
		cut := func(p *Plan) []cluster.Split {
			splits := must(p.Splits(context.Background(), func(i int) []cluster.Block {
				list := p.BlocksOf(block)(i)
				for k := range list {
					list[k].Hosts = []string{hosts[i]}
				}
				return list
			}))(t)
			return splits
		}
		alone, single, before := mapAll(t, sources(), cut)
		joined, fewer, after := mapAll(t, sources(), func(p *Plan) []cluster.Split { return p.JoinSmall(cut(p), limit) })
		require.Equal(t, alone, joined)
		require.Equal(t, before.Get(counter.MapInputRecords), after.Get(counter.MapInputRecords))
		require.Equal(t, before.Get(counter.InputBytesRead), after.Get(counter.InputBytesRead))

		files, cost := 0, func(s cluster.Split) int64 { return s.Length + perFile*int64(max(1, s.Files)) }
		for i, s := range fewer {
			files += max(1, s.Files)
			require.True(t, s.Files <= 1 || cost(s) <= limit)
			if i > 0 && fewer[i-1].Files > 0 && s.Files > 0 && slices.Equal(fewer[i-1].Hosts, s.Hosts) {
				first := int64(len(texts[s.Source])) + perFile
				require.Greater(t, cost(fewer[i-1])+first, limit, "split %d could have taken the next file in", i-1)
			}
		}
		require.Equal(t, len(single), files)
	})
}

// TestJoinSmallLeavesWholeFiles: an input of whole files keeps one map per file.
func TestJoinSmallLeavesWholeFiles(t *testing.T) {
	p := must(MapOnly[WholeFile, string]{Map: func(f WholeFile, emit func(string)) error {
		emit(f.Name)
		return nil
	}}.Bind(WholeFiles(Bytes("a", []byte("x")), Bytes("b", []byte("y"))), Text[string](Writer("out",
		new(bytes.Buffer)))))(t)
	require.Len(t, p.JoinSmall(must(p.Splits(t.Context(), nil))(t), 1<<30), 2)
}
