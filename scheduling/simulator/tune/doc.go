// Package tune looks for settings of a policy that serve a goal better, in the simulator.
//
//	found, err := tune.Search(ctx, tune.Problem{
//		Start: policy, Goal: tune.MeanSojourn, Run: run, // run simulates a policy with a seed
//	})
//
// The search is plain. Knob after knob, all its choices are run with the same seeds as the settings so
// far; the best one is taken if it is better by more than chance (95 % interval of the paired
// differences). It goes round until nothing changes. Then seeds that the search has not seen judge:
// each change alone is undone, and one whose worth is not sure stays undone; what is left is compared
// with the start. Where the interval of the gain holds 0, nothing is to be changed.
//
// Reading order: knobs.go, search.go, judge.go.
package tune
