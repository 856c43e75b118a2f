package mapreduce

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// pieces is a Destination that counts the writes of its one part.
type pieces struct {
	output.MemoryStore
	sizes []int
}

func (p *pieces) Create(to output.Part) (io.WriteCloser, error) {
	w, err := p.MemoryStore.Create(to)
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

// Records are written in buffer-sized pieces, whether writes are revocable or not: one write per
// record would be slow, and one for all would need memory.
func TestRecordsAreWrittenInPieces(t *testing.T) {
	line := bytes.Repeat([]byte("x"), 99)
	const n = 20_000
	for _, c := range []struct {
		name string
		bind func(Destination) (*Plan, error)
	}{
		{"plain", func(d Destination) (*Plan, error) {
			return keepLines().Bind(Lines(Bytes("in", bytes.Repeat(append(line, '\n'), n))), Text[[]byte](d))
		}},
		{"encoded", func(d Destination) (*Plan, error) {
			filter := MapOnly[[]byte, string]{Map: func(line []byte, emit func(string)) error {
				emit(string(line))
				return nil
			}}
			return filter.Bind(Lines(Bytes("in", bytes.Repeat(append(line, '\n'), n))), Text[string](d))
		}},
	} {
		for _, skips := range []int{0, 1} {
			to := new(pieces)
			p := must(c.bind(output.To(to)))(t)
			require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{}))
			must(p.RunMap(t.Context(), &cluster.MapAttempt{Split: cluster.Split{Length: n * 100}, MaxSkips: skips}))(t)
			total := 0
			for i, size := range to.sizes {
				total += size
				require.Less(t, size, output.FlushSize+200, c.name)
				if i < len(to.sizes)-1 {
					require.GreaterOrEqual(t, size, output.FlushSize, c.name)
				}
			}
			require.Equal(t, n*100, total, c.name)
		}
	}
}
