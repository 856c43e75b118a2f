package mapreduce

import (
	"context"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// must returns the result of a call; an error of the call ends the test:
//
//	plan := must(job.Bind(in, out))(t)
func must[T any](result T, err error) func(t require.TestingT) T {
	return func(t require.TestingT) T {
		if test, ok := t.(interface{ Helper() }); ok {
			test.Helper() // a failure names the caller's line
		}
		require.NoError(t, err)
		return result
	}
}

// errorOf returns the error of a call and drops its other result.
func errorOf[T any](_ T, err error) error { return err }

// ran returns how the plan that Bind returned ends in RunLocal.
func ran(p *Plan, err error) error {
	if err == nil {
		_, err = RunLocal(context.Background(), p, LocalOptions{})
	}
	return err
}

// collected returns the records of a job in RunLocal.
func collected[O any](t require.TestingT, bind func(Output[O]) (*Plan, error)) []O {
	var out Collected[O]
	require.NoError(t, ran(bind(out.Output())))
	return must(out.Records())(t)
}

// begun begins the job of a plan and returns its splits.
func begun(t require.TestingT, p *Plan, blocks func(int) []cluster.Block) []cluster.Split {
	require.NoError(t, p.SetupJob())
	require.NoError(t, p.Prepare(context.Background(), cluster.PrepareOptions{}))
	return must(p.Splits(context.Background(), blocks))(t)
}

// textOf returns a source named text.
func textOf(text string) Source { return Bytes("text", []byte(text)) }

// unread returns an output in memory whose records no test reads.
func unread[O any]() Output[O] { return new(Collected[O]).Output() }

// sorting is a total order of keys over `reduces` reduces.
func sorting[K any](reduces int) Job[K, K, None, Pair[K, None]] {
	return Job[K, K, None, Pair[K, None]]{
		Map:        func(key K, emit func(K, None)) error { emit(key, None{}); return nil },
		TotalOrder: true, Reducers: reduces,
	}
}
