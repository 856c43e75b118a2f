package serve

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// Many clients submit up to 1,000 tiny jobs per second. The server accepts each, runs it once and
// reports its end. The test takes a second, or a minute with LONG_TESTS=1, and logs how long
// answers took.
func TestManySubmissions(t *testing.T) {
	seconds := 1
	if os.Getenv("LONG_TESTS") != "" {
		seconds = 60
	}
	b := start(t, func(cfg *Config) { cfg.limits.history = 100_000 })
	b.write("in.txt", "a\n")
	const rate, clients = 1000, 50
	var mu sync.Mutex
	var took []time.Duration
	var all sync.WaitGroup
	began := time.Now()
	for c := range clients {
		all.Go(func() {
			for i := range rate * seconds / clients {
				<-time.After(time.Until(began.Add(time.Duration(i*clients+c) * time.Second / rate)))
				at := time.Now()
				_, err := b.Submit(t.Context(), api.Submission{
					Job: "count", Args: []string{"in.txt", "-o", fmt.Sprintf("dfs:out/%d/%d", c, i), "--reduces", "1"},
				}, "")
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(at))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	submitted := time.Since(began)
	for _, j := range b.s.ledger.all() {
		<-j.done
	}
	slices.Sort(took)
	require.Len(t, took, rate*seconds)
	list, err := b.Jobs(t.Context(), api.Succeeded, "")
	require.NoError(t, err)
	require.Len(t, list, rate*seconds)
	p99 := took[len(took)*99/100]
	t.Logf("%d jobs submitted in %v, the last done after %v; p50 %v, p99 %v", len(took), submitted, time.Since(began),
		took[len(took)/2], p99)
}
