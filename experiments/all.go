package experiments

// All returns the experiments in the order of the report; a new one is a file of its own and a line here.
func All() []Experiment {
	return []Experiment{
		{"delay-fig2", "A cluster like Facebook's: times of tasks and jobs, locality by job size", "[Zaharia10 Figs 1, 2, §3.2, §3.3.1]", delayFig2},
		{"delay-fig3", "Bound on locality with sticky slots", "[Zaharia10 Fig 3, §3.3.2]", delayFig3},
		{"delay-fig4", "Pools with minimum shares", "[Zaharia10 Fig 4, §4]", delayFig4},
		{"delay-formulas", "The worked numbers of delay scheduling's analysis", "[Zaharia10 §3.2, §3.5, Eq 2, §4.1]", delayFormulas},
		{"delay-fig5", "IO-heavy macrobenchmark: response times, locality, speed-up", "[Zaharia10 Table 2, Figs 5, 6, 7, §5.1.1]", delayFig5},
		{"delay-fig8", "CPU-heavy macrobenchmark", "[Zaharia10 Fig 8, §5.1.2]", delayFig8},
		{"delay-fig9", "Mixed macrobenchmark", "[Zaharia10 Table 3, Figs 9, 10, §5.1.3]", delayFig9},
		{"delay-fig11", "Two levels of sharing over time", "[Zaharia10 Fig 11, §5.2.1]", delayFig11},
		{"delay-table4", "Small jobs on the private cluster", "[Zaharia10 Table 4, Fig 12, §5.2.2]", delayTable4},
		{"delay-fig13", "Sticky slots: locality and finish time of concurrent scans", "[Zaharia10 Figs 13, 14, §5.2.3]", delayFig13},
		{"delay-fig15", "Locality of small jobs against the wait", "[Zaharia10 Fig 15, §5.3]", delayFig15},
		{"delay-overhead", "Tasks scheduled a second", "[Zaharia10 §5.4]", delayOverhead},
		{"hfsp-fig1", "Processor sharing against FSP on worked examples", "[Pastorelli13 Figs 1, 2]", hfspFig1},
		{"hfsp-fig3", "FB-dataset under FIFO, FAIR and HFSP; locality", "[Pastorelli13 Figs 3, 4, §4.2]", hfspFig3},
		{"hfsp-fig5", "Mean sojourn against cluster size", "[Pastorelli13 Fig 5]", hfspFig5},
		{"hfsp-fig6", "Wrong sizes", "[Pastorelli13 Fig 6, §4.3]", hfspFig6},
		{"hfsp-fig7", "Suspend, wait or kill", "[Pastorelli13 Fig 7]", hfspFig7},
		{"cogrs-fig5", "Total network distances", "[Hammoud12 Figs 5, 7]", cogrsFig5},
		{"cogrs-fig6", "Sizes of partitions by map and reduce", "[Hammoud12 Fig 6]", cogrsFig6},
		{"cogrs-surface", "Off-rack bytes saved by maps a node, skew and racks", "[Hammoud12 evaluation]", cogrsSurface},
		{"cogrs-runtime", "Run time saved by placing reduces, by over-subscription", "[Hammoud12 evaluation], [Hammoud11]", cogrsRuntime},
		{"cogrs-ablation", "Parts of reduce placement taken away, against the best assignment", "ours; [Hammoud12]", cogrsAblation},
		{"orders", "FIFO, fair, capacity, hfs, hfsp and srpt on one workload", "ours", orders},
		{"hot-spot", "Reduces that all prefer one node, and the cap", "ours; SPARK-10087", hotSpot},
		{"hot-files", "Few files read by many jobs, with and without further replicas", "ours; [Ananthanarayanan11]", hotFiles},
		{"wait-trap", "The trap of resetting the wait, and its cure", "ours; SPARK-18886", waitTrap},
		{"reduce-sweeps", "Start, wait, projection and cap of reduce placement", "ours", reduceSweeps},
		{"facebook-trace", "Order, locality and reduce placement on a trace of Facebook", "ours", facebookTrace},
		{"coflows", "What placing reduces is worth on a trace of shuffles", "ours; [Chowdhury15]", coflows},
		{"failures", "Nodes that fail", "ours", failures},
		{validationName, "The simulator against live clusters", "ours", validation},
	}
}
