package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/tarry-mr/tarry/actors"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

func main() {
	points, centers := clouds(10_000)
	cluster, err := actors.Start(actors.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	ctx := context.Background()
	kept, err := actors.Load(ctx, cluster, mr.Slice(points))
	if err != nil {
		log.Fatal(err)
	}
	centers, err = kmeans(ctx, cluster, kept, centers, 10)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range centers {
		fmt.Printf("%.1f %.1f\n", c.X, c.Y)
	}
}

// clouds returns n points, randomly around (0, 0), (10, 0) and (0, 10), and three initial centers.
func clouds(n int) (points, centers []point) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		p := point{rng.NormFloat64(), rng.NormFloat64(), 1}
		switch i % 3 {
		case 1:
			p.X += 10
		case 2:
			p.Y += 10
		}
		points = append(points, p)
	}
	return points, []point{{1, 1, 1}, {6, 0, 1}, {0, 6, 1}}
}
