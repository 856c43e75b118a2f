package serve

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// The answer to a kill is the killed job, or an error if the job has succeeded. The test kills jobs
// of a few milliseconds at all moments.
func TestKillsAreAnsweredTruly(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", "a b\n")
	var mu sync.Mutex
	became := map[string]int{}
	var clients sync.WaitGroup
	for c := range 4 {
		clients.Go(func() {
			for i := range 100 {
				out := fmt.Sprintf("dfs:out/%d/%d", c, i)
				j, err := b.Submit(t.Context(), api.Submission{Job: "count", Args: []string{"in.txt", "-o", out}}, "")
				if err != nil {
					t.Error(err)
					return
				}
				for range i / 10 { // each kill comes later than the one before
					_, _ = b.Job(t.Context(), j.ID) // only to let time pass
				}
				answer, err := b.Kill(t.Context(), j.ID, "no more")
				said := answer.State
				if p, refused := errors.AsType[*api.Problem](err); refused && p.Code == "job-ended" {
					said = api.Succeeded
				} else if err != nil {
					t.Error(err)
				}
				now, err := b.Job(t.Context(), j.ID)
				if err != nil || now.State != said {
					t.Errorf("job %d: the kill was answered with %s, and it has %s (%v)", j.ID, said, now.State, err)
				}
				mu.Lock()
				became[said]++
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	require.NotZero(t, became[api.Killed])
	require.NotZero(t, became[api.Succeeded])
	require.Len(t, became, 2, "%v", became)
}
