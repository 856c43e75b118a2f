package scenario

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// runText runs a scenario given as text. It returns the exit code and both outputs, in which F is
// the name of its file.
func runText(t *testing.T, text string, opts Options) (code int, out, errs string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.scenario")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	var o, e bytes.Buffer
	code = Run(&o, &e, []string{file}, opts)
	return code, strings.ReplaceAll(o.String(), file, "F"), strings.ReplaceAll(e.String(), file, "F")
}

const frame = "cluster racks=1 nodes=2 map=1 reduce=1\nscheduler hfs\n"

func TestMismatchesAndPlainAnswers(t *testing.T) {
	code, out, errs := runText(t, frame+`
pool P min=1/0
at 0s submit A maps=2 reduces=0 pool=P   # a comment
at 0s shares
at 1s heartbeat tt1
at 1s heartbeat tt2 => A.m0
at 1s heartbeat tt2 => -
at 1s running => A=2/0 pool:P=2/0
`, Options{})
	require.Equal(t, Mismatch, code)
	require.Empty(t, errs)
	require.Equal(t, `F:6: A=2/0
F:7: A.m0
F:8: want A.m0, got A.m1
2 passed, 1 failed
`, out)
}

func TestVerboseTellsWhyASlotIdles(t *testing.T) {
	code, out, _ := runText(t, `cluster racks=2 nodes=1 map=1 reduce=0
scheduler hfs node-delay=5s rack-delay=5s slow-start=1
default user-max-jobs=1
at 0s submit A maps=1 reduces=0 data=tt2 user=u
at 0s submit B maps=1 reduces=0 user=u
at 1s heartbeat tt1 => -
`, Options{Verbose: true})
	require.Equal(t, Passed, code)
	require.Contains(t, out, "F:6: at 1s heartbeat tt1 => -\n")
	require.Contains(t, out, "idle map slot: A: waiting for locality, until 6s\n")
	require.Contains(t, out, "idle map slot: B: limit on running jobs, 1 of 1\n")
}

// With Verbose, launches, kills, suspensions and claims of pools are printed with their reasons.
func TestVerboseTellsWhyTasksStartAndStop(t *testing.T) {
	code, out, _ := runText(t, `cluster racks=1 nodes=1 map=2 reduce=0
scheduler hfs preemption=on node-delay=5s rack-delay=5s
pool p min=1/0 min-timeout=10s
at 0s submit A maps=2 reduces=0 data=tt1
at 1s heartbeat tt1 => A.m0 A.m1
at 2s submit B maps=1 reduces=0 pool=p
at 20s preempt => A.m0
at 20s heartbeat tt1 => B.m0
`, Options{Verbose: true})
	require.Equal(t, Passed, code)
	require.Contains(t, out, "    launch A.m0 on tt1: local to its data\n")
	require.Contains(t, out, "    pool p may claim map slots: 1\n")
	require.Contains(t, out, "    kill A.m0 on tt1: preempted for a pool below its share\n")
	require.Contains(t, out, "    launch B.m0 on tt1: no location information\n")
}

// With Verbose, events that happen by themselves until a statement's time are printed before it.
func TestVerboseTellsWhatAClusterDoesByItself(t *testing.T) {
	text := `cluster racks=1 nodes=1 map=0 reduce=2
scheduler hfsp training=off
at 0s submit big maps=0 reduces=2 reduce-time=100s
at 10s submit small maps=0 reduces=1 reduce-time=5s
run until=1h => big=105s small=15s
`
	code, out, _ := runText(t, text, Options{Verbose: true})
	require.Equal(t, Passed, code)
	require.Equal(t, `F:3: at 0s submit big maps=0 reduces=2 reduce-time=100s
    at 0s: launch big.r0 on tt1: any node
    at 0s: launch big.r1 on tt1: any node
F:4: at 10s submit small maps=0 reduces=1 reduce-time=5s
    at 10s: suspend big.r0 on tt1: a smaller job needs the slot
    at 10s: launch small.r0 on tt1: any node
    at 15s: resume big.r0 on tt1
F:5: run until=1h => big=1m45s small=15s
1 passed, 0 failed
`, out)
	_, out, _ = runText(t, text, Options{Verbose: true, JSON: true})
	require.Contains(t, out, `"notes":["at 10s: suspend big.r0 on tt1: a smaller job needs the slot",`)
}

func TestJSON(t *testing.T) {
	code, out, _ := runText(t, frame+"at 0s submit A maps=1 reduces=0\nat 1s heartbeat tt1 => A.m1\n", Options{JSON: true})
	require.Equal(t, Mismatch, code)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 2)
	var e outputLine
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &e))
	no := false
	require.Equal(t, outputLine{File: "F", Line: 4, Event: "at 1s heartbeat tt1", Got: "A.m0", Want: "A.m1", OK: &no}, e)
	require.JSONEq(t, `{"passed":0,"failed":1}`, lines[1])
}

// Each mistake is rejected in one short line that names its place. A statement that cannot have an
// effect is a mistake, too.
func TestFaultsNameTheLine(t *testing.T) {
	const begin = "cluster nodes=1 map=1\nscheduler fifo\n"
	for text, want := range map[string]string{
		"":                                                                     "F:1: ",
		"scheduler hfs\n":                                                      "F:1: statement 1 must be cluster",
		"cluster nodes=2\ncluster nodes=2\n":                                   "F:2: statement 1 must be cluster, and no other",
		"cluster nodes=0\nscheduler hfs\n":                                     "F:1: bad value nodes=0",
		"cluster size=2\nscheduler hfs\n":                                      `F:1: unknown option "size"`,
		"cluster nodes=1\nscheduler best\n":                                    "F:2: scheduling: unknown policy",
		"cluster nodes=1\nscheduler fifo sample=3\n":                           "F:2: hfsp.sample has no effect with order fifo, only with hfsp",
		"cluster nodes=1\nscheduler fifo skip=x\n":                             `F:2: locality.skips: "x": want a whole number`,
		"cluster nodes=1\nscheduler fifo\npool P\n":                            "F:3: pools.list has no effect with order fifo, only with pools",
		frame + "pool P weight=0\n":                                            `F:3: weight: "0": want above 0`,
		frame + "pool P\npool P\n":                                             "pool P twice",
		frame + "at 2s shares\nat 1s shares\n":                                 "F:4: time goes backwards",
		frame + "at 2s shares\npool P\n":                                       "F:4: a statement without a time",
		frame + "at 2x shares\n":                                               `F:3: "2x" is not a time`,
		frame + "at 1s frobnicate\n":                                           `F:3: unknown statement "frobnicate"`,
		frame + "at 1s heartbeat tt9\n":                                        `F:3: unknown node "tt9"`,
		frame + "at 1s heartbeat tt1 =>\n":                                     "F:3: nothing after =>",
		frame + "at 1s running => X=1/1\n":                                     `F:3: unknown job "X"`,
		frame + "at 1s demand => pool:X=1/1\n":                                 `F:3: unknown pool "X"`,
		frame + "at 1s submit A maps=1 pool=X\n":                               "unknown pool",
		frame + "at 1s submit A maps=1 data=tt7\n":                             `F:3: unknown node "tt7"`,
		frame + "at 1s submit A maps=1 data=0-4:tt1\n":                         `data: "0-4" is not a range of the 1 maps`,
		frame + "at 1s submit A maps=1 priority=SOON\n":                        "unknown priority",
		frame + "at 1s submit A maps=1\nat 1s submit A maps=1\n":               "F:4: job A twice",
		frame + "at 1s submit A maps=1\nat 1s done A.m0\n":                     "F:4: task A.m0 does not run",
		frame + "at 1s submit A maps=1\nat 1s fail A.m1\n":                     `F:4: unknown task "A.m1"`,
		frame + "at 1s submit A maps=1\nat 1s output A.m0 5\n":                 "want the output of a map for each of 0 reduces",
		frame + "at 1s submit A maps=1 => x\n":                                 "F:3: submit has no answer",
		frame + "at 1s virtual A\n":                                            `unknown job "A"`,
		frame + "run until=1s\nat 1s shares\n":                                 "F:4: run must be the last statement",
		frame + "run\n":                                                        "F:3: want: run until=TIME",
		frame + "run until=1s => X=1s\n":                                       `F:3: unknown job "X"`,
		frame + "at 0s node tt1 map=1\n":                                       "F:3: node tt1 twice",
		"cluster nodes=1\nscheduler hfs allocations=missing.xml\n":             "F:2: open ",
		"cluster nodes=1\nscheduler capacity\nqueue a capacity=120\n":          `F:3: capacity: "120": want above 0, at most 100`,
		"cluster nodes=1\nscheduler capacity\nqueue a parent=b\n":              "must follow its parent",
		"cluster nodes=1\nscheduler capacity\nat 0s submit A maps=1 queue=q\n": `"q" is not a leaf queue`,
		"cluster nodes=4 map=1\nscheduler capacity\nqueue default capacity=25\nqueue q1 max=40\n": "queue q1: capacity 75 is above its maximum 40",

		// numbers out of bounds, before the scenario runs
		"cluster nodes=1000000000\nscheduler fifo\n":            "bad value nodes",
		"cluster racks=1000000 nodes=1000000\nscheduler fifo\n": "at most 10000 nodes",
		"cluster nodes=1000 map=1000000\nscheduler fifo\n":      "200000 slots",
		"cluster nodes=99999999999999999999\nscheduler fifo\n":  "bad value nodes",
		begin + "\xff":                     "3: not text",
		begin + "a\x00":                    "3: not text",
		begin + strings.Repeat("x", 1<<20): "3: a line of more than 65536 bytes",
		"cluster " + strings.Repeat("x", 60_000) + "\nscheduler fifo\n":                                "is not of the form",
		begin + strings.Repeat("at 0s pools\n", 100_001):                                               "more than 100000 statements",
		begin + "at 2000h pools":                                                                       "3: \"2000h\" is not a time",
		begin + "run until=2000000h => -":                                                              "bad value until",
		begin + "run until=2000h => -":                                                                 "at most 1000h",
		"cluster nodes=1 map=1\nscheduler capacity\nqueue default capacity=NaN\n":                      "capacity: \"NaN\": want above 0",
		"cluster nodes=1 map=1\nscheduler capacity\nqueue default capacity=Inf\n":                      "capacity: \"Inf\": want above 0",
		begin + "at 0s submit J1 maps=1000000000":                                                      "bad value maps",
		"cluster nodes=10000 map=0\nscheduler fifo\nat 0s submit J1 maps=1\nrun until=1000h => J1=-\n": "heartbeats",

		// statements without an effect
		cluster("fifo", begun+"at 6s progress A.r0=0.5\n"):                                                 "F:9: progress A.r0=0.5 has no effect: scheduler fifo looks at none of a reduce; speculation.rule native or late does",
		cluster("hfsp", "at 0s submit A maps=2 reduces=1\nat 1s heartbeat tt1\nat 2s progress A.m0=0.5\n"): "F:5: progress A.m0=0.5 has no effect",
		cluster("hfsp training=off", begun+"at 6s progress A.r0=0.5\n"):                                    "F:9: progress A.r0=0.5 has no effect",
		cluster("hfsp", begun+"at 6s progress A.r0=0.5\nat 7s progress A.r0=0.4\n"):                        "F:10: progress A.r0=0.4: it has been at 0.5",
		cluster("delay skip=1 node-delay=5s", begun):                                                       "F:2: locality.waits has no effect with locality.rule skips, only with wait",
		cluster("fifo reduce-node-delay=5s", begun):                                                        "F:2: reduce.node_wait has no effect with reduce.rule any, only with cogrs or larts",
		cluster("fifo long-task=5s", begun):                                                                "F:2: long_task has no effect with reserve_long 0",
		cluster("fifo slow-task=2", begun):                                                                 "F:2: speculation.slow_task has no effect with speculation.rule none, only with late",
		cluster("hfsp training=off delta=5s", begun):                                                       "F:2: hfsp.delta has no effect with hfsp.no_training true, only with false",
		cluster("hfsp preempt=kill suspend-high=5", begun):                                                 "F:2: hfsp.suspend_high has no effect with hfsp.reclaim kill, only with suspend",
		cluster("fifo", "node tt2 map=1 slow=2\n"+begun):                                                   "F:3: option slow has no effect: it needs a cluster that drives itself",
	} {
		code, _, errs := runText(t, text, Options{})
		require.Equal(t, Unreadable, code, "%.300s", text)
		require.Contains(t, errs, want, "%.300s", text)
		require.Less(t, len(errs), 400)
		require.Equal(t, 1, strings.Count(errs, "\n"))
	}
	var out, errs bytes.Buffer
	require.Equal(t, Unreadable, Run(&out, &errs, []string{"no-such-file"}, Options{}))
	require.Equal(t, "0 passed, 0 failed\n", out.String())
}

// begun is a scenario in which the reduce of job A runs.
const begun = "at 0s submit A maps=2 reduces=1\nat 1s heartbeat tt1\nat 2s done A.m0\nat 3s heartbeat tt1\nat 4s done A.m1\nat 5s heartbeat tt1\n"

// cluster returns a scenario on one node.
func cluster(scheduler, rest string) string {
	return "cluster racks=1 nodes=1 map=1 reduce=1\nscheduler " + scheduler + "\n" + rest
}

// A scheduler that looks at the progress of reduces accepts it.
func TestProgressOfAReduce(t *testing.T) {
	for _, scheduler := range []string{"hfsp", "fifo speculation.rule=late", "fifo reduce-placement=cogrs"} {
		code, _, errs := runText(t, cluster(scheduler, begun+"at 6s progress A.r0=0.5\n"), Options{})
		require.Equal(t, Passed, code, errs)
	}
}

func TestSameValue(t *testing.T) {
	for _, pair := range [][2]string{{"6200ms", "6.2s"}, {"2.667/1", "2.6666/1.0"}, {"A=1/2", "A=1.005/2"}, {"NA", "NA"}, {"1m0s", "60s"}} {
		require.True(t, sameValue(pair[0], pair[1]), "%v", pair)
	}
	for _, pair := range [][2]string{{"6200ms", "6.3s"}, {"2.667/1", "2.6/1"}, {"A=1/2", "B=1/2"}, {"NA", "0/0"}, {"1", "1s"}} {
		require.False(t, sameValue(pair[0], pair[1]), "%v", pair)
	}
}
