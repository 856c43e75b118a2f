package actors_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
)

// The context of RunOn ends the job with its caller. The job's map would wait for ever.
func ExampleRunOn() {
	cluster, err := actors.Start(actors.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()

	ctx, leave := context.WithCancelCause(context.Background())
	job := mapreduce.MapOnly[int, int]{MapTask: func(t *mapreduce.Task) (mapreduce.Filter[int, int], error) {
		return mapreduce.Filter[int, int]{Map: func(int, func(int)) error {
			leave(errors.New("the client has hung up"))
			<-t.Context().Done()
			return context.Cause(t.Context())
		}}, nil
	}}
	plan, err := job.Bind(mapreduce.Slice([]int{1}), new(mapreduce.Collected[int]).Output())
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := actors.RunOn(ctx, cluster, plan, actors.SubmitOptions{})
	fmt.Println(result.State, errors.Is(err, actors.ErrJobKilled), errors.Is(err, context.Canceled))
	fmt.Println(err)
	// Output:
	// killed true true
	// job killed: job_0001 "job": context canceled: the client has hung up
}
