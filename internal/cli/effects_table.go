package cli

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
)

// effect says where flags have an effect. Every flag of every command stands in this table, so that
// none is ignored without a word.
type effect struct {
	on     []string                  // the commands, those below them included
	flags  string                    // their flags
	unless func(*combination) string // why not, naming the flag that decides it, or empty; nil: always
	wrong  string                    // a command line where they have none
}

// isOf tells whether a line of the table is about a flag of this command.
func (e *effect) isOf(c *combination, flag string) bool {
	return slices.ContainsFunc(e.on, c.isA) && slices.Contains(strings.Fields(e.flags), flag)
}

// effects is the table, made once: a server looks into it at each submission.
var effects = sync.OnceValue(makeEffects)

func makeEffects() []effect {
	run, sim, whatif := []string{"run"}, []string{"sim", "tune"}, []string{"whatif"}
	told, live, all := []string{"run", "batch"}, []string{"run", "batch", "serve"}, []string{"run", "batch", "serve", "sim", "tune"}
	delay, gen, events, grep := []string{"delay"}, []string{"gen"}, []string{"events"}, []string{"run grep"}
	inline, here := with("inline"), with("inline", "on")
	inRounds := []string{"run pagerank", "run components", "run kmeans"}
	const (
		sortIn = "run sort in -o out "
		grepIn = "run grep x in -o out "
		simIn  = "sim --workload facebook-io "
		asked  = "delay --tasks 3 --nodes 9 --rate 2 "
	)
	return []effect{
		{run, "output compress inline block-size list max-skips", nil, ""},
		{run, "counters", with("quiet", "json"), sortIn + "--counters -q"},
		{run, "overwrite", toStdout, "run sort in -o - --overwrite"},
		{run, "reduces", fixedReduces, "run top in -o out --reduces 3"},
		{run, "reduces reduce-slots reduce-placement slow-start", mapOnly, grepIn + "--reduces 3"},
		{run, "reduce-slots reduce-placement slow-start", noReduces, sortIn + "--reduces 0 --slow-start 1"},
		{run, "pool", order("pools", "pools"), sortIn + "--scheduler fifo --pool ann"},
		{run, "queue", noQueues, sortIn + "--scheduler hfs --queue q"},
		{run, "priority", noPriorities, sortIn + "--scheduler srpt --priority high"},
		{run, "user pool queue priority", here, sortIn + "--inline --pool ann"},
		{run, "racks nodes map-slots reduce-slots replication parallelism", here, sortIn + "--inline --nodes 4"},
		{run, "memory", inline, sortIn + "--inline --memory 1GiB"},
		{run, "seed events trace-out", here, sortIn + "--on processes:2 --seed 3"},
		{run, "task-timeout", inline, sortIn + "--inline --task-timeout 1m"},
		{run, "emulate-network node-link oversubscription", here, sortIn + "--inline --node-link 1MB"},
		{run, "scheduler reduce-placement slow-start", here, sortIn + "--inline --scheduler fifo"},
		{run, "policy set", here, sortIn + "--inline --set theta=0"},
		{run, "wait rack-wait skips", here, sortIn + "--inline --wait 1s"},
		{run, "speculation", here, sortIn + "--inline --speculation late"},
		{run, "preemption allocations queues parameters", here, sortIn + "--inline --preemption"},
		{run, "chaos", here, sortIn + "--inline --chaos 1"},
		{run, "state", here, sortIn + "--inline --state d"},
		{run, "on", inline, sortIn + "--inline --on processes:2"},
		{run, "on", toStdout, "run sort in -o - --on processes:2"},
		{inRounds, "on", inRoundsOnly, "run pagerank in -o out --on processes:2"},
		{run, "state", toStdout, "run sort in -o - --state d"},
		{run, "spill-dir", inlineStage, sortIn + "--inline --spill-dir d"},
		{[]string{"run sort"}, "reverse unique numeric-sort key ignore-leading-blanks", nil, ""},
		{[]string{"run sort"}, "field-separator", without("key"), sortIn + "-t ,"},
		{[]string{"run sort"}, "stable", wholeLine, sortIn + "-s"},
		{[]string{"run top"}, "lines column field-separator", nil, ""},
		{[]string{"run mean"}, "column", nil, ""},
		{[]string{"run mean"}, "field-separator top", nil, ""},
		{[]string{"run wordcount"}, "fold words", nil, ""},
		{[]string{"run distinct"}, "column count", nil, ""},
		{[]string{"run distinct"}, "field-separator", without("column"), "run distinct in -o out -t ,"},
		{[]string{"run distinct"}, "top", without("count"), "run distinct in -o out --top 3"},
		{[]string{"run histogram"}, "width column", nil, ""},
		{[]string{"run histogram"}, "field-separator", without("column"), "run histogram in -o out -t ,"},
		{[]string{"run movingaverage"}, "window", nil, ""},
		{[]string{"run teravalidate"}, "any-order", nil, ""},
		{[]string{"run scan"}, "percent sample", nil, ""},
		{[]string{"run sleep"}, "reduce-time", nil, ""},
		{inRounds, "max-skips", inRoundsOnly, "run pagerank in -o out --max-skips 3"},
		{[]string{"run pagerank"}, "damping rounds top", nil, ""},
		{[]string{"run kmeans"}, "clusters rounds start field-separator", nil, ""},
		{[]string{"run hivesearch"}, "pattern", nil, ""},
		{[]string{"run hiveselect"}, "above", nil, ""},
		{[]string{"run hiveaggregate"}, "prefix top", nil, ""},
		{[]string{"run hivejoin"}, "from until lines", nil, ""},
		{[]string{"run wordcount", "run index"}, "top", noReduces, "run wordcount in -o out --reduces 0 --top 3"},
		{grep, "top", without("count-matches"), grepIn + "--top 3"},
		{grep, "fixed-strings ignore-case word-regexp", nil, ""},
		{grep, "invert-match count", with("count-matches"), grepIn + "--count-matches -v"},
		{grep, "invert-match", with("only-matching"), grepIn + "--only-matching -v"},
		{grep, "count-matches", with("count"), grepIn + "--count-matches -c"},
		{grep, "color files-with-matches", with("count", "count-matches"), grepIn + "-c -l"},
		{
			grep, "line-number with-filename only-matching",
			with("count", "count-matches", "files-with-matches"), grepIn + "-l -n",
		},

		{live, "racks nodes map-slots reduce-slots replication parallelism block-size memory", nil, ""},
		{live, "spill-dir state seed events queues task-timeout chaos quiet", nil, ""},
		{told, "json no-progress cpuprofile memprofile trace-out", nil, ""},
		{live, "heal-rate", without("chaos"), sortIn + "--heal-rate 1MB"},
		{live, "emulate-network", oneNode, sortIn + "--emulate-network"},
		{live, "node-link oversubscription", without("emulate-network"), sortIn + "--node-link 1MB"},
		{live, "oversubscription", oneRack, sortIn + "--nodes 4 --emulate-network --oversubscription 2"},

		{all, "parameters slow-start policy", nil, ""},
		{append(all, "config policy"), "set", nil, ""},
		{all, "scheduler", with("policy"), simIn + "--scheduler fifo --policy mine.yaml"},
		{
			all, "reduce-placement", ownPlacements,
			"sim compare --schedulers fifo+any,hfs+any --reduce-placement larts --workload facebook-io",
		},
		{all, "wait rack-wait", with("skips"), simIn + "--wait 1s --skips 3"},
		{all, "skips", with("wait", "rack-wait"), simIn + "--rack-wait 1s --skips 3"},
		{all, "speculation", oneNode, sortIn + "--speculation late"},
		{all, "wait skips", oneNode, sortIn + "--wait 1s"},
		{all, "rack-wait", oneRack, simIn + "--rack-wait 1s"},
		{all, "skips", secondSkip, simIn + "--skips 3,4"},
		{all, "preemption allocations", order("pools", "pools"), simIn + "--scheduler fifo --preemption"},
		{all, "no-spread", spreads, simIn + "--scheduler fair --no-spread"},

		{sim, "queues", order("capacity", "queues"), simIn + "--scheduler hfs --queues queues.xml"},
		{sim, "trace", with("workload"), simIn + "--trace swim:f"},
		{sim, "workload", with("trace"), simIn + "--trace swim:f"},
		{sim, "cluster replication hot-replicas", nil, ""},
		{sim, "nodes racks map-slots reduce-slots network link stragglers", with("cluster"), simIn + "--cluster c.yaml --nodes 9"},
		{sim, "cache", nil, ""},
		{sim, "cache-rate", without("cache"), simIn + "--cache-rate 2GB"},
		{sim, "task-setup read-rate compute-rate drive heartbeat submit", nil, ""},
		{sim, "target-utilisation", unlike("submit", "replay"), simIn + "--submit serial --target-utilisation 80%"},
		{sim, "compute-spread", without("compute-rate"), "sim --trace swim:f --compute-spread 1"},
		{sim, "job-setup job-cleanup until slow-nodes task-fails mtbf jobs", nil, ""},
		{sim, "seed repeat json quiet csv schedulers", nil, ""},
		{[]string{"sim sweep"}, "sweep parallel output", nil, ""},
		{sim, "series", repeated, simIn + "--series s.csv --repeat 2"},
		{sim, "series-interval", without("series"), simIn + "--series-interval 5s"},
		{sim, "events trace-out", repeated, simIn + "--events e.jsonl --repeat 2"},
		{sim, "oversubscription", with("cluster"), simIn + "--cluster c.yaml --oversubscription 5"},
		{sim, "shuffle-rate", flowing, simIn + "--network flows --shuffle-rate 1GB"},
		{sim, "link oversubscription", unlike("network", "flows"), simIn + "--link 1GB"},
		{sim, "oversubscription", oneRack, simIn + "--network flows --oversubscription 5"},
		{sim, "out-of-band", unlike("drive", "heartbeat"), simIn + "--out-of-band"},
		{sim, "time-scale", without("trace"), simIn + "--time-scale 2"},
		{sim, "time-scale", with("target-utilisation"), "sim --trace swim:f --time-scale 2 --target-utilisation 1%"},
		{sim, "compute-spread", notSwim, simIn + "--compute-rate 1MB --compute-spread 1"},
		{sim, "original-nodes max-maps raw-paths drop-empty", notSwim, simIn + "--max-maps 3"},
		{sim, "skew-zipf skew-shares skew-cells", notSwim, simIn + "--skew-zipf 1"},

		{whatif, "reduce-placement slow-start set speculation parameters policy json events again-events quiet", nil, ""},
		{whatif, "scheduler", with("policy"), "whatif e.jsonl --scheduler fifo --policy mine.yaml"},
		{whatif, "wait rack-wait", with("skips"), "whatif e.jsonl --wait 1s --skips 3"},
		{whatif, "skips", with("wait", "rack-wait"), "whatif e.jsonl --rack-wait 1s --skips 3"},
		{whatif, "preemption allocations", order("pools", "pools"), "whatif e.jsonl --scheduler fifo --preemption"},
		{whatif, "weight", order("pools", "pools"), "whatif e.jsonl --scheduler fifo --weight a=2"},
		{whatif, "no-spread", spreads, "whatif e.jsonl --scheduler fair --no-spread"},
		{whatif, "queues", order("capacity", "queues"), "whatif e.jsonl --scheduler hfs --queues queues.xml"},

		{[]string{"play"}, "export", nil, ""},
		{[]string{"play"}, "listen", with("export"), "play --export d --listen 127.0.0.1:0"},
		{[]string{"tune"}, "goal fresh within policy-out", nil, ""},

		{delay, "tasks nodes replication task-time racks rate json", nil, ""},
		{delay, "locality", with("skips", "wait"), asked + "--locality 0.9 --skips 3"},
		{delay, "skips", with("locality", "wait"), asked + "--skips 3 --wait 9s"},
		{delay, "wait", with("locality", "skips"), asked + "--skips 3 --wait 9s"},
		{delay, "rack-locality", without("locality"), asked + "--racks 2 --wait 9s --rack-locality 0.9"},
		{delay, "rack-skips", without("skips"), asked + "--racks 2 --wait 9s --rack-skips 9"},
		{delay, "rack-wait", without("wait"), asked + "--racks 2 --skips 9 --rack-wait 9s"},
		{delay, "racks-per-block rack-locality rack-skips rack-wait", noRacks, asked + "--wait 9s --rack-wait 9s"},
		{delay, "jobs long", without("slots"), asked + "--wait 9s --jobs 2"},
		{delay, "slots", rateKnown, asked + "--wait 9s --slots 2"},

		{[]string{"fsck"}, "nodes racks replication block-size lose damage heal json seed", nil, ""},

		{gen, "size seed output quiet", nil, ""},
		{gen, "overwrite", toStdout, "gen text -o - --overwrite"},
		{gen, "words skew", noVocabulary, "gen tera -o x --words 3"},

		{events, "job", nil, ""},
		{events, "only", with("summary", "trace-out"), "events e.jsonl --summary --only launched"},
		{events, "summary", with("trace-out"), "events e.jsonl --summary --trace-out t"},
		{events, "trace-out", with("summary"), "events e.jsonl --summary --trace-out t"},

		{[]string{"view"}, "output", nil, ""},
		{[]string{"view"}, "overwrite", toStdout, "view e.jsonl -o - --overwrite"},

		{[]string{"experiment"}, "output quick no-tables seed repeat json", nil, ""},
		{[]string{"serve"}, "listen host root tokens admins tls-cert tls-key client-ca store-size pprof", nil, ""},
		{[]string{"serve"}, "capacity", with("queues", "scheduler"), "serve --capacity q.xml --queues q.xml"},
		{[]string{"serve"}, "demo", with("tokens", "client-ca"), "serve --demo --tokens t"},
		{clients(), "server token-file ca cert key", nil, ""},
		{[]string{"submit", "job", "node", "policy", "ls", "history"}, "json", nil, ""},
		{[]string{"submit"}, "user pool queue priority submit-key wait quiet", nil, ""},
		{[]string{"job list"}, "state of", nil, ""},
		{[]string{"job kill"}, "reason", nil, ""},
		{[]string{"history"}, "of", nil, ""},
		{[]string{"get"}, "output", nil, ""},
		{[]string{"config", "version"}, "json", nil, ""},
		{[]string{"scenario"}, "verbose json", nil, ""},
	}
}

// clients are the commands that call a server.
func clients() []string {
	return []string{"submit", "job", "node", "policy", "put", "get", "ls", "rm", "history"}
}

// when is a reason if it holds, or else empty.
func when(holds bool, why string) string {
	if holds {
		return why
	}
	return ""
}

// with says that a flag has no effect beside one of the others.
func with(others ...string) func(*combination) string {
	return func(c *combination) string {
		for _, other := range others {
			if c.given(other) {
				return "with " + c.say(other)
			}
		}
		return ""
	}
}

// without says that a flag has no effect unless another is given.
func without(other string) func(*combination) string {
	return func(c *combination) string { return when(!c.given(other), "without --"+other) }
}

// unlike says that a flag has an effect with one value of another only.
func unlike(other, value string) func(*combination) string {
	return func(c *combination) string { return when(c.value(other) != value, "without --"+other+" "+value) }
}

// order says that a flag is for schedulers of one order.
func order(name, what string) func(*combination) string {
	return func(c *combination) string {
		if c.has(name) {
			return ""
		}
		return "with " + c.scheduler() + ", which has no " + what
	}
}

// flowing: a cluster file says itself what the network is.
func flowing(c *combination) string {
	if c.given("cluster") {
		return ""
	}
	return unlike("network", "factors")(c)
}

// spreads: two orders have Hadoop's load manager.
func spreads(c *combination) string {
	return when(!c.has("fifo") && !c.has("pools"), "with "+c.scheduler()+", which does not spread tasks")
}

// inRoundsOnly: each round would leave out records of its own.
func inRoundsOnly(c *combination) string { return "with " + c.path + ", which reads in rounds" }

// inlineStage: an inline run writes nothing but what one stage leaves for the next.
func inlineStage(c *combination) string {
	if c.given("count-matches") || c.given("top") || c.isA("run hivejoin") {
		return ""
	}
	return with("inline")(c)
}

// wholeLine: lines that are equal as a whole are the same in any order.
func wholeLine(c *combination) string {
	if slices.ContainsFunc([]string{"key", "numeric-sort", "ignore-leading-blanks"}, c.given) {
		return ""
	}
	return "without --key, --numeric-sort or --ignore-leading-blanks: equal lines are the same"
}

func toStdout(c *combination) string { return when(c.value("output") == "-", "with --output -") }

// fixedReduces: these jobs need all their records in one place.
func fixedReduces(c *combination) string {
	switch {
	case c.value("reduces") == "1":
		return ""
	case c.isA("run grep"):
		for _, flag := range []string{"count", "line-number", "files-with-matches"} {
			if c.given(flag) {
				return "with " + c.say(flag) + ", which has one reduce"
			}
		}
		return ""
	}
	for _, job := range []string{"run top", "run teravalidate"} {
		if c.isA(job) {
			return "with " + job + ", which has one reduce"
		}
	}
	return ""
}

func mapOnly(c *combination) string {
	reducing := []string{"count", "count-matches", "line-number", "files-with-matches"}
	for _, job := range []string{"run scan", "run hivesearch", "run hiveselect"} {
		if c.isA(job) {
			return "with " + job + ", which has no reduces"
		}
	}
	lines := c.isA("run grep") && !slices.ContainsFunc(reducing, c.given)
	return when(lines, "with run grep, which has no reduces where it writes lines as they are")
}

func noReduces(c *combination) string {
	return when(c.given("reduces") && c.value("reduces") == "0", "with --reduces 0")
}

// noQueues: pools can be chosen by the queue's name, too.
func noQueues(c *combination) string {
	if c.given("parameters") {
		return ""
	}
	return order("capacity", "queues")(c)
}

// noPriorities: a queue of the Capacity Scheduler heeds them if its file says so.
func noPriorities(c *combination) string {
	heeds := func(q scheduling.QueueConfig) bool { return q.Priorities }
	for _, p := range c.policies {
		if p.Order == "capacity" && slices.ContainsFunc(p.Queues, heeds) {
			return ""
		}
	}
	switch {
	case c.has("fifo"), c.has("pools"):
		return ""
	case !c.has("capacity"):
		return "with " + c.scheduler() + ", which has no priorities"
	case c.unread && c.given("queues"):
		return ""
	}
	return "with " + c.scheduler() + " unless --queues has a queue with supports-priority"
}

func oneNode(c *combination) string {
	one := number(c.value("nodes")) <= 1 && number(c.value("racks")) <= 1 && !c.given("cluster")
	return when(one && !c.given("inline"), "with one node: give --nodes")
}

func oneRack(c *combination) string {
	recorded := c.path == "tune" && !c.given("workload") && !c.given("trace") // which tells the racks
	return when(number(c.value("racks")) <= 1 && !c.given("cluster") && !recorded, "with one rack: give --racks")
}

// secondSkip: the second number is of racks.
func secondSkip(c *combination) string {
	two := strings.Contains(c.value("skips"), ",")
	return when(two && oneRack(c) != "", "with its second number and one rack: give --racks")
}

// number is a number that was found good.
func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// ownPlacements: each scheduler of a comparison may bring its own.
func ownPlacements(c *combination) string {
	list := c.schedulers()
	shared := func(s string) bool { return !strings.Contains(s, "+") }
	if len(list) == 0 || slices.ContainsFunc(list, shared) {
		return ""
	}
	return "with " + c.scheduler() + ", each of which has its own"
}

func repeated(c *combination) string {
	n := c.value("repeat")
	return when(number(n) > 1, "with --repeat "+n+": they take one run")
}

func notSwim(c *combination) string {
	return when(!strings.HasPrefix(c.value("trace"), "swim:"), "without --trace swim:FILE")
}

func noRacks(c *combination) string { return when(number(c.value("racks")) <= 0, "without --racks") }

func rateKnown(c *combination) string {
	asked := c.given("jobs") || c.given("long")
	return when(c.given("rate") && !asked, "with --rate, unless --jobs or --long is given")
}

func noVocabulary(c *combination) string {
	if len(c.args) == 0 || slices.Contains([]string{"text", "pairs", "visits"}, c.args[0]) {
		return ""
	}
	return "with gen " + words.Shown(c.args[0]) + ", only with gen text, gen pairs and gen visits"
}
