package experiments

import (
	"context"
	"io"

	"github.com/tarry-mr/tarry/experiments/hammoud12"
	"github.com/tarry-mr/tarry/experiments/own"
	"github.com/tarry-mr/tarry/experiments/pastorelli13"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/experiments/zaharia10"
)

// Experiment is one published table or figure, or a question of our own.
type Experiment = study.Experiment

// Options are what a person may choose. The zero value is seed 0, one quick-less run.
type Options = study.Options

// Outcome is an experiment with what came out of it.
type Outcome = study.Outcome

// Counts is how many rows there are by kind and verdict.
type Counts = study.Counts

// All returns the experiments in the order of the report; a new one is a file of its own and an
// entry here.
func All() []Experiment {
	return append(append(zaharia10.All(), pastorelli13.All()...), []Experiment{
		entry("cogrs-fig5", "Total network distances", "[Hammoud12 Figs 5, 7]", hammoud12.Fig5),
		entry("cogrs-fig6", "Sizes of partitions by map and reduce",
			"[Hammoud12 Fig 6]", hammoud12.Fig6),
		entry("cogrs-surface", "Off-rack bytes saved by maps a node, skew and racks",
			"[Hammoud12 evaluation]", hammoud12.Surface),
		entry("cogrs-runtime", "Run time saved by placing reduces, by over-subscription",
			"[Hammoud12 evaluation], [Hammoud11]", hammoud12.Runtime),
		entry("cogrs-ablation", "Parts of reduce placement taken away, against the best assignment",
			"ours; [Hammoud12]", hammoud12.Ablation),
		entry("orders", "FIFO, fair, capacity, hfs, hfsp and srpt on one workload",
			"ours", own.Orders),
		entry("rivals", "Delay scheduling against Quincy, with and without kills",
			"ours; [Isard09], [Zaharia10 §7]", own.Rivals),
		entry("hot-spot", "Reduces that all prefer one node, and the cap",
			"ours; SPARK-10087", own.HotSpot),
		entry("hot-files", "Few files read by many jobs, with and without further replicas",
			"ours; [Ananthanarayanan11]", own.HotFiles),
		entry("cache", "Blocks in memory as a level of locality: hits and response by cache size",
			"ours; [Zaharia10 §6]", own.Cache),
		entry("offers", "Slots offered to two frameworks, each with an order and a wait of its own",
			"ours; [Zaharia10 §6], [Hindman11]", own.Offers),
		entry("leen", "Keys divided by locality and fairness, against hash partitions",
			"ours; [Ibrahim10]", own.LEEN),
		entry("stragglers", "Copies of slow tasks: none, Hadoop's first rule, LATE",
			"ours; [Zaharia08]", own.Stragglers),
		entry("wait-trap", "The trap of resetting the wait, and its cure",
			"ours; SPARK-18886", own.WaitTrap),
		entry("reduce-sweeps", "Start, wait, projection and cap of reduce placement",
			"ours", own.ReduceSweeps),
		entry("reduce-patience", "Where reduces should wait for a better place",
			"ours", own.Patience),
		entry("facebook-trace", "Order, locality and reduce placement on a trace of Facebook",
			"ours", own.FacebookTrace),
		entry("coflows", "What placing reduces is worth on a trace of shuffles",
			"ours; [Chowdhury15]", own.Coflows),
		entry("fair-features", "Weights, boosts and limits of the Fair Scheduler",
			"ours; [Hadoop Fair Scheduler guide]", own.FairFeatures),
		entry("capacity-queues", "Capacities, borrowed slots and user limits of queues",
			"ours; [Hadoop Capacity Scheduler]", own.CapacityQueues),
		entry("failures", "Nodes that fail", "ours", own.Failures),
		entry("validation", "The simulator against live clusters", "ours", own.Validation),
	}...)
}

func entry(
	name, title, source string, run func(context.Context, Options) (*study.Result, error),
) Experiment {
	return Experiment{Text: study.Text{Name: name, Title: title, Source: source}, Run: run}
}

// Find returns the experiment called name.
func Find(name string) (Experiment, bool) {
	for _, e := range All() {
		if e.Name == name {
			return e, true
		}
	}
	return Experiment{}, false
}

// Write runs the experiments one after the other and writes everything into dir, which is made if
// it is missing; files of the same names are replaced. The progress line of each goes to log. It
// returns the outcomes; an experiment that fails ends the run with its name in the error. All but
// the folders of measured experiments has the same bytes each time.
func Write(
	ctx context.Context, dir string, list []Experiment, o Options, log io.Writer,
) ([]Outcome, error) {
	return study.Write(ctx, dir, list, o, log)
}
