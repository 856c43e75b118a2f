package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// A policy change sets weights of pools and settings together: all of them or none. It adds pools
// that are not listed yet.
func TestWeightsAreChanged(t *testing.T) {
	b := start(t, nil)
	ctx := t.Context()
	weights := func(p api.Policy) map[string]float64 {
		got := map[string]float64{}
		for _, x := range p.Pools {
			got[x.Name] = x.Weight
		}
		return got
	}
	p, err := b.Reconfigure(ctx, api.PolicyChange{Weights: map[string]float64{"ann": 2, "bob": 0.5}})
	require.NoError(t, err)
	require.Equal(t, map[string]float64{"ann": 2, "bob": 0.5, "default": 1}, weights(p))
	for _, bad := range []api.PolicyChange{
		{Weights: map[string]float64{"ann": 9, "bob": 0}},
		{Weights: map[string]float64{"ann": 9, "": 1}},
		{Weights: map[string]float64{"ann": -math.MaxFloat64}},
		{Weights: map[string]float64{"ann": 9}, Set: map[string]string{"theta": "7"}},
		{},
	} {
		_, err = b.Reconfigure(ctx, bad)
		require.Error(t, err)
		p, err = b.Policy(ctx)
		require.NoError(t, err)
		require.Equal(t, 2.0, weights(p)["ann"], "all or none")
	}
	p, err = b.Reconfigure(ctx, api.PolicyChange{Weights: map[string]float64{"ann": 3}, Set: map[string]string{"pools.known": "true"}})
	require.NoError(t, err)
	require.Equal(t, 3.0, weights(p)["ann"])
	_, err = b.Reconfigure(ctx, api.PolicyChange{Weights: map[string]float64{"eve": 3}})
	refused(t, err, "bad-policy")
	_, err = b.Reconfigure(ctx, api.PolicyChange{Set: map[string]string{"order": "fifo"}, Weights: map[string]float64{"ann": 1}})
	refused(t, err, "bad-policy")
}

// The page can look up the server's job of a cluster job. The answers say whether the caller may
// change the job and the cluster.
func TestWhoMaySteer(t *testing.T) {
	b := withTokens(t, nil)
	ctx := t.Context()
	j, err := b.as("ann").Submit(ctx, api.Submission{Job: "held", Args: []string{"in.txt", "-o", "out"}}, "")
	require.NoError(t, err)
	require.True(t, j.MayChange)
	var stage string
	require.Eventually(t, func() bool {
		j, err = b.as("ann").Job(ctx, j.ID)
		require.NoError(t, err)
		if len(j.Stages) > 0 {
			stage = j.Stages[0].ID
		}
		return stage != ""
	}, 10*time.Second, 5*time.Millisecond)
	for user, may := range map[string]bool{"ann": true, "bob": false, "root": true} {
		header := http.Header{"Authorization": {"Bearer " + user + "secret" + user + "secret"}}
		var list api.Page[api.Job]
		require.NoError(t, json.Unmarshal([]byte(b.text(http.MethodGet, "/api/v1/jobs?stage="+stage, "", header)), &list))
		require.Len(t, list.Items, 1)
		require.Equal(t, j.ID, list.Items[0].ID)
		require.Equal(t, may, list.Items[0].MayChange, user)
		s, err := b.as(user).Server(ctx)
		require.NoError(t, err)
		require.Equal(t, api.Caller{User: user, Known: true, Manages: user == "root"}, s.Caller)
		require.NoError(t, json.Unmarshal([]byte(b.text(http.MethodGet, "/api/v1/jobs?stage=job_9999", "", header)), &list))
		require.Empty(t, list.Items)
	}
	_, err = b.as("ann").Kill(ctx, j.ID, "")
	require.NoError(t, err)
}

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
