package experiments

// All returns the experiments in the order of the report; a new one is a file of its own and a line here.
func All() []Experiment {
	return []Experiment{}
}
