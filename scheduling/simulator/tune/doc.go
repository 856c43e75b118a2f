// Package tune searches for settings of a policy that improve a goal, in the simulator.
//
//	found, err := tune.Search(ctx, tune.Problem{
//		Start: policy, Goal: tune.MeanSojourn, Run: run, // run simulates a policy with a seed
//	})
//
// The search is simple. It runs all choices of each knob with the same seeds as the current
// settings. It takes the best choice if that is significantly better (95 % interval of the paired
// differences), and repeats this until nothing changes. Then it verifies the result with fresh
// seeds. It undoes each change separately, and drops those that bring no significant gain. Finally
// it compares the remaining changes with the start. If the interval of the gain contains 0, it
// recommends no change.
//
// Reading order: knobs.go, search.go, judge.go.
package tune
