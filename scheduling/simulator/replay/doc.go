// Package replay runs a recorded run again, under the policy that it had or under another one.
//
//	var r replay.Reader
//	for … { err := r.Add(event) }
//	rec, err := r.End()
//	again, err := rec.Run(ctx, rec.Policy, nil) // how far the method is from the truth
//	other, err := rec.Run(ctx, policy, nil)
//
// The workload is rebuilt from the events: when jobs came, how long each attempt took, where blocks
// lay and how large the outputs of maps were. What a task would have taken elsewhere is estimated
// from tasks of the same recording (estimate.go). The simulator runs it.
//
// Reading order: recording.go, reader.go, estimate.go, setup.go, figures.go.
package replay
