package bench

import "github.com/tarry-mr/tarry/internal/gen"

const (
	mib = 1 << 20
	gib = 1 << 30
)

// Targets returns the project's goals for time and memory. Bounds on memory are for inputs of 1
// GiB; smaller inputs meet them more easily.
func Targets() []Target {
	list := append(wordCountTargets("wordcount zipf", 200*mib), wordCountTargets("wordcount real", 450*mib)...)
	list = append(list, sortTargets...)
	for _, g := range []struct {
		contest string
		rg      float64
	}{{"grep -c literal", 1.5}, {"grep literal", 1.5}, {"grep -c regexp", 2}} {
		list = append(list,
			Target{"grep", g.contest, "tarry", TimesOther, "ripgrep", g.rg},
			Target{"grep", g.contest, "tarry", FasterThan, "GNU grep", 2},
			Target{"grep", g.contest, "tarry", PrivatePeak, "", 100 * mib},
		)
	}
	list = append(list, Target{"grep by a user, line by line", "grep literal", "user's line by line", MegaPerSec, "", 1000})
	for _, pattern := range gen.Patterns {
		list = append(list, Target{"grep, any pattern", patternContest(pattern), "tarry", CPUTimesOther, "ripgrep", 2})
	}
	for _, name := range []string{HashJoin, SortMergeJoin, DistinctItems, TopAmounts, HighAmounts} {
		list = append(list, Target{"joins and aggregates", "query " + name, "tarry", TimesOther, "DuckDB", 1.5})
	}
	const rounds = "rounds of data in memory"
	return append(list, // the limit is a loop
		Target{rounds, RankRounds, "tarry", TimesOther, "limit", 8},
		Target{rounds, MeansRounds, "tarry", TimesOther, "limit", 1.5},
		Target{rounds, TinyRounds, "tarry", Seconds, "", 1},
	)
}

// Names of the contests of rounds over datasets in memory, which command bench runs itself.
const (
	RankRounds  = "rounds of PageRank"
	MeansRounds = "rounds of k-means"
	TinyRounds  = "1000 tiny rounds"
)

// control is a row that is not a goal for Tarry: it shows how much the limit gains from a second
// core of this machine.
const control = "1 to 2 cores: the machine"

func wordCountTargets(contest string, private float64) []Target {
	own, user := "WordCount", "WordCount by a user's byte loop"
	little, slots := "WordCount, --memory "+WordCountBudget, "1 to 2 slots"
	return []Target{
		{own, contest, "tarry", TimesOther, "limit", 1.35},
		{own, contest, "tarry", FasterThan, "DuckDB", 2.5},
		{own, contest, "tarry", TimesOther, "chdb", 0.48},
		{own, contest, "tarry", PrivatePeak, "", private},
		{"WordCount by README's program", contest, "user's words", TimesOther, "limit", 1.35},
		{"WordCount with strings as keys", contest, "user's strings", TimesOther, "limit", 1.35},
		{"WordCount with structs as keys and values", contest, "user's structs", TimesOther, "limit", 2},
		{user, contest, "user's byte loop", TimesOther, "limit", 2},
		{user, contest, "user's byte loop", FasterThan, "DuckDB", 1.4},
		{little, contest, "tarry " + WordCountBudget, TimesOther, "tarry", 2},
		{little, contest, "tarry " + WordCountBudget, PrivatePeak, "", (128 + 150) * mib},
		{slots, contest, "tarry", FasterThan, "tarry, 1 slot", 1.8},
		{control, contest, "limit", FasterThan, "limit, 1 core", 1.8},
	}
}

var sortTargets = []Target{
	{"terasort, files in memory", "terasort", "tarry", TimesOther, "limit", 1.6},
	{"terasort, files in memory", "terasort", "tarry", FasterThan, "GNU sort", 4},
	{"terasort, files in memory", "terasort", "tarry", FasterThan, "DuckDB", 2.5},
	{"terasort, files in memory", "terasort", "tarry", RSSPeak, "", 2.3 * gib},
	{"1 to 2 slots", "terasort", "tarry", FasterThan, "tarry, 1 slot", 1.8},
	{control, "terasort", "limit", FasterThan, "limit, 1 core", 1.8},
	{"terasort 4x, memory 1/8", "terasort in little memory", "tarry", FasterThan, "GNU sort", 2},
	{"terasort 4x, memory 1/8", "terasort in little memory", "tarry", RSSPeak, "", 700 * mib},
	{"sort of text lines", "sort lines", "tarry", FasterThan, "GNU sort", 3},
	{"sort of text lines", "sort lines", "tarry", TimesOther, "chdb", 0.58},
}
