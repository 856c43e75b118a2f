// Package replay simulates a recorded run, under its own policy or under another one.
//
//	var r replay.Reader
//	for … { err := r.Add(event) }
//	rec, err := r.End()
//	again, err := rec.Run(ctx, rec.Policy, nil, nil) // how accurate the method is
//	other, err := rec.Run(ctx, policy, nil, nil)
//
// The workload is rebuilt from the events: arrivals of jobs, durations of attempts, places of
// blocks and sizes of map outputs. The duration of a task at another place is estimated from tasks
// of the same recording (estimate.go). The simulator runs it.
//
// Reading order: recording.go, reader.go, estimate.go, setup.go, figures.go.
package replay
