package main

import (
	"context"
	"fmt"
	"log"

	"github.com/tarry-mr/tarry/actors"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

func main() {
	web := []page{
		{"home", []string{"shop", "blog"}},
		{"shop", []string{"home"}},
		{"blog", []string{"home", "shop", "about"}},
		{"about", nil},
	}
	cluster, err := actors.Start(actors.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	ranks, err := ranksOf(context.Background(), cluster, web, 4, 0.85, 20)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range web {
		fmt.Printf("%.4f %s\n", ranks[p.Name], p.Name)
	}
}

// ranksOf loads a web in parts, runs the rounds of pagerank, and returns the rank of each page.
func ranksOf(ctx context.Context, cluster *actors.Cluster, web []page, parts int, damping float64, rounds int) (map[string]float64, error) {
	list := map[string]float64{}
	return list, cluster.Pipeline(ctx, func(ctx context.Context, p *actors.Pipeline) error {
		pages, err := actors.LoadBy(ctx, p, func(p page) string { return p.Name }, parts, mr.Slice(web))
		if err != nil {
			return err
		}
		last, err := pagerank(ctx, p, pages, damping, rounds)
		if err != nil {
			return err
		}
		linked, err := last.Collect(ctx)
		jumps := 1.
		for _, r := range linked {
			jumps -= r.Second
		}
		for _, r := range linked {
			list[r.First] = r.Second + jumps/float64(len(linked))
		}
		return err
	})
}
