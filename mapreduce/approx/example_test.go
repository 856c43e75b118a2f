package approx_test

import (
	"context"
	"fmt"
	"math"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/approx"
)

// Estimate the number of distinct visitors of each page.
func ExampleCountDistinct() {
	type visit struct{ Page, User int }
	var visits []visit
	for i := range 100_000 {
		visits = append(visits, visit{Page: i % 2, User: i / 4})
	}
	job := approx.CountDistinct(14, func(v visit) int { return v.Page }, func(v visit) int { return v.User })
	var out mapreduce.Collected[mapreduce.Pair[int, int64]]
	plan, err := job.Bind(mapreduce.Slice(visits), out.Output())
	if err == nil {
		_, err = mapreduce.RunLocal(context.Background(), plan, mapreduce.LocalOptions{})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	pages, _ := out.Records()
	for _, p := range pages {
		off := math.Abs(float64(p.Second)-25_000) / 25_000
		fmt.Println(p.First, off < 3*approx.StandardError(14))
	}
	// Output:
	// 0 true
	// 1 true
}
