package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
)

// The job returns the same ranks as a plain loop, in a random web where some pages have no links.
func TestPagerankIsPlainGo(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var web []page
	for i := range 200 {
		p := page{Name: fmt.Sprint("page ", i)}
		for range rng.IntN(6) {
			p.Links = append(p.Links, fmt.Sprint("page ", rng.IntN(200)))
		}
		web = append(web, p)
	}
	want := map[string]float64{}
	for _, p := range web {
		want[p.Name] = 1. / 200
	}
	for range 10 {
		next, lost := map[string]float64{}, 0.
		for _, p := range web {
			if len(p.Links) == 0 {
				lost += want[p.Name]
			}
			for _, to := range p.Links {
				next[to] += want[p.Name] / float64(len(p.Links))
			}
		}
		for _, p := range web {
			want[p.Name] = 0.85*(next[p.Name]+lost/200) + 0.15/200
		}
	}
	cluster, err := actors.Start(actors.Config{Nodes: 3, BlockSize: 20})
	require.NoError(t, err)
	defer func() { require.NoError(t, cluster.Close()) }()
	got, err := ranksOf(context.Background(), cluster, web, 5, 0.85, 10)
	require.NoError(t, err)
	require.Len(t, got, 200)
	total := 0.
	for name, rank := range want {
		require.InDelta(t, rank, got[name], 1e-9)
		total += got[name]
	}
	require.InDelta(t, 1, total, 1e-9)
}
