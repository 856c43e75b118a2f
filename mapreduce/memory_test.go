package mapreduce

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Attempts return their budget and pool memory, whether they spill or not: after a job nothing is
// in use, and no mapping is unknown to the pool.
func TestAllMemoryGoesBack(t *testing.T) {
	var text bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&text, "word%d and %d\n", i, i*7)
	}
	in := Lines(Bytes("text", text.Bytes()))
	for name, bind := range map[string]func(Output[Pair[string, int64]]) (*Plan, error){
		"group":   func(to Output[Pair[string, int64]]) (*Plan, error) { return wordCount(false).Bind(in, to) },
		"combine": func(to Output[Pair[string, int64]]) (*Plan, error) { return wordCount(true).Bind(in, to) },
		"pass on": func(to Output[Pair[string, int64]]) (*Plan, error) {
			j := wordCount(false)
			j.Reduce = nil
			return j.Bind(in, to)
		},
	} {
		for _, limit := range []int64{1, 1 << 30} {
			before := memory.Mapped()
			budget := cluster.NewMemory(limit)
			pool := cluster.NewBuffers(budget, 4<<20)
			p := must(bind(Text[Pair[string, int64]](output.To(new(output.MemoryStore)))))(t)
			runEngine(t, p, 2, p.BlocksOf(200_000), cluster.Resources{Budget: budget.Sub(), Pool: pool, SpillDir: t.TempDir()})
			require.Equal(t, pool.Idle(), budget.Used(), "%s within %d bytes", name, limit)
			pool.Close()
			require.Zero(t, budget.Used(), "%s within %d bytes", name, limit)
			require.Equal(t, before, memory.Mapped(), "%s within %d bytes", name, limit)
		}
	}
}
