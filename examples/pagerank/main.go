package main

import (
	"context"
	"fmt"
	"log"

	"github.com/tarry-mr/tarry/actors"
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
	ranks, err := pagerank(context.Background(), cluster, web, 0.85, 20)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range web {
		fmt.Printf("%.4f %s\n", ranks[p.Name], p.Name)
	}
}
