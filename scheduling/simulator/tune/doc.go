// Package tune searches for settings of a policy that improve a goal, in the simulator.
//
//	found, err := tune.Search(ctx, tune.Problem{
//		Start: policy, Goal: tune.MeanSojourn, Run: run, // run simulates a policy with a seed
//	})
//
// The search is simple. For each knob it runs all choices with the same seeds as the current
// settings, and takes the best one if it is significantly better (95 % interval of the paired
// differences). It repeats this until nothing changes. Then it verifies the result with fresh
// seeds: it undoes each change separately, and keeps undone those without a significant gain;
// finally it compares the remaining changes with the start. If the interval of the gain contains 0,
// it recommends no change.
//
// Reading order: knobs.go, search.go, judge.go.
package tune
