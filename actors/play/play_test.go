package play

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/play/site"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// handle returns the answer to a request and the events of its one or two runs.
func handle(t *testing.T, r Request) (a Answer, events [2]string) {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var out [2]strings.Builder
	answer := Handle(text, func(side int, line []byte) { out[side].Write(line) })
	require.NoError(t, json.Unmarshal(answer, &a))
	return a, [2]string{out[0].String(), out[1].String()}
}

const mine = `jobs:
  - {name: long, maps: 60, map_time: 10s, reduces: 4, shuffle_ratio: 0.3, user: ann}
  - {name: short, at: 20s, count: 4, gap: exponential 6s, maps: 6, map_time: 5s, user: bob}
`

// A request "run" returns report and events of a simulation, and the same ones each time.
func TestRun(t *testing.T) {
	a, events := handle(t, Request{Op: "run", Setup: Setup{Workload: mine, Policy: "hfs", Nodes: 6, Racks: 2}})
	require.Empty(t, a.Error)
	require.Equal(t, 5, a.Report.Jobs)
	require.Contains(t, events[0], `"type":"began"`)
	require.Contains(t, events[0], `"type":"skipped"`)
	require.Equal(t, 5, strings.Count(events[0], `"type":"finished"`))
	again, same := handle(t, Request{Op: "run", Setup: Setup{Workload: mine, Policy: "hfs", Nodes: 6, Racks: 2}})
	require.Equal(t, a, again)
	require.Equal(t, events, same)
}

// An error in a workload, policy or cluster text names line and column. No invalid request panics.
func TestFaultsHaveTheirPlace(t *testing.T) {
	for want, s := range map[string]Setup{
		"workload:2:12: ": {Workload: "jobs:\n  - {maps: x}\n", Policy: "hfs"},
		"policy:2:1: ":    {Workload: mine, Policy: "scheduler: hfs\nlocalty: 1\n"},
		"cluster:1:1: ":   {Workload: mine, Policy: "hfs", Cluster: "rakcs: 1\n"},
		"no built-in":     {Workload: "nothing", Policy: "hfs"},
		"unknown policy":  {Workload: mine, Policy: "none"},
		"no setting":      {Workload: mine, Policy: "hfs", Set: []string{"w1=3"}},
		"a page shows":    {Workload: mine, Policy: "hfs", Nodes: 10_001},
		"racks":           {Workload: mine, Policy: "hfs", Nodes: 2, Racks: 3},
		"more than":       {Workload: "facebook-2010", Policy: "hfs", Most: 1000},
	} {
		a, _ := handle(t, Request{Op: "run", Setup: s})
		require.Contains(t, a.Error, want)
		require.Nil(t, a.Report)
	}
	for _, text := range []string{"", "{", `{"op":"dance"}`, `{"op":"part"}`, `{"op":"run","more":1}`} {
		var a Answer
		require.NoError(t, json.Unmarshal(Handle([]byte(text), nil), &a))
		require.NotEmpty(t, a.Error, text)
	}
}

// A request "part" explains the first decision in which two policies differ, from both sides. Here
// greedy placement launches a map far from its data, in a slot that the waiting job lets pass.
func TestPart(t *testing.T) {
	s := Setup{Workload: mine, Policy: "hfs", Nodes: 6, Racks: 2}
	a, events := handle(t, Request{Op: "part", Setup: s, Other: &Setup{Policy: "hfs", Set: []string{"locality.rule=greedy"}}})
	require.Empty(t, a.Error)
	require.NotNil(t, a.Divergence)
	wait, greedy := a.Divergence.Sides[0], a.Divergence.Sides[1]
	require.Contains(t, wait.Instead, "waiting for locality")
	require.Regexp(t, `rack-local|off-rack`, greedy.Did)
	require.Equal(t, "first fit", greedy.Why)
	require.Regexp(t, `^job_\d+ comes before job_\d+ in its order$`, greedy.Instead)
	require.Regexp(t, ` was passed over for a slot on `+regexp.MustCompile(`n\d+`).FindString(greedy.Did)+`: `, wait.Instead, "of the very node")
	require.NotEmpty(t, events[1])
	require.Less(t, a.Against.Maps.NodeLocal, a.Report.Maps.NodeLocal)
	launches := func(side int) (list []string) {
		for line := range strings.Lines(events[side]) {
			var e event.Event
			require.NoError(t, json.Unmarshal([]byte(line), &e))
			if decides(&e) {
				list = append(list, describe(&e))
			}
		}
		return list
	}
	n := wait.Decision
	require.Equal(t, launches(0)[:n-1], launches(1)[:n-1], "both do the same before")
	require.Equal(t, wait.Did, launches(0)[n-1])
	require.Equal(t, greedy.Did, launches(1)[n-1])
	a, _ = handle(t, Request{Op: "part", Setup: s, Other: &Setup{Policy: "fifo"}})
	require.Equal(t, "launches job_0001_r_000001_0 on n00004 at 17.4s", a.Divergence.Sides[0].Did)
	require.Equal(t, "that comes later: it launches job_0001_r_000001_0 on n00001 at 17.4s", a.Divergence.Sides[1].Instead, "fifo gives the map slot first")
	a, _ = handle(t, Request{Op: "part", Setup: s, Other: &s})
	require.Nil(t, a.Divergence)
}

// A request "whatif" simulates a recorded run under its own policy and under another one.
func TestWhatIf(t *testing.T) {
	_, events := handle(t, Request{Op: "run", Setup: Setup{Workload: mine, Policy: "hfs", Nodes: 6, Racks: 2}})
	a, asked := handle(t, Request{Op: "whatif", Text: events[0], Setup: Setup{Policy: "fifo"}})
	require.Empty(t, a.Error)
	require.Equal(t, a.WhatIf.Recorded, a.WhatIf.Again)
	really, _ := handle(t, Request{Op: "run", Setup: Setup{Workload: mine, Policy: "fifo", Nodes: 6, Racks: 2}})
	require.InEpsilon(t, really.Report.Sojourn.Mean, a.WhatIf.Asked.Sojourn.Mean, 0.15)
	require.Contains(t, asked[1], `"name":"fifo"`)
	a, _ = handle(t, Request{Op: "whatif", Text: events[0][:len(events[0])/2]})
	require.Contains(t, a.Error, "line ")
}

// scenarios returns requests for all scenarios of the repository.
func scenarios(t *testing.T) (list []Request) {
	t.Helper()
	names, err := filepath.Glob("../../scheduling/testdata/*.scenario")
	require.NoError(t, err)
	require.Greater(t, len(names), 60)
	xml, err := os.ReadFile("../../scheduling/testdata/fair-scheduler.xml")
	require.NoError(t, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		list = append(list, Request{Op: "scenario", Text: string(text), Files: map[string]string{"fair-scheduler.xml": string(xml)}})
	}
	return list
}

// Every scenario of the repository passes as a request, as it does on the command line.
func TestScenarios(t *testing.T) {
	for _, r := range scenarios(t) {
		a, _ := handle(t, r)
		require.Zero(t, a.Code, a.Output)
		require.Regexp(t, `\d+ passed, 0 failed\n$`, a.Output)
	}
	a, _ := handle(t, Request{Op: "scenario", Text: "cluster nodes=0\n"})
	require.NotZero(t, a.Code)
	require.Contains(t, a.Output, "scenario:1")
}

// drawn returns a random set-up: a workload file with all kinds of distributions, a cluster and a
// policy.
func drawn(r *rand.Rand) Setup {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var jobs strings.Builder
	jobs.WriteString("jobs:\n")
	for k := range 2 + r.IntN(5) {
		fmt.Fprintf(&jobs, "  - {name: j%d, count: %d, gap: %s, maps: %s, map_time: %s, spread: %.2f, reduces: %d, shuffle_ratio: 0.3, reduce_time: %s, skew: {zipf: %.1f, shares: %.1f, cells: %.1f}, user: u%d}\n",
			k, 1+r.IntN(4), pick("exponential 5s", "uniform 1s 9s", "lognormal 3s 1"), pick("uniform 1 40", "zipf 30 1", "7"), pick("8s", "lognormal 5s 0.8", "exponential 4s"),
			r.Float64(), r.IntN(6), pick("3s", "lognormal 4s 0.5"), r.Float64(), r.Float64(), float64(r.IntN(2))*r.Float64(), r.IntN(3))
	}
	presets := scheduling.Presets()
	s := Setup{
		Workload: jobs.String(), Policy: presets[r.IntN(len(presets))], Nodes: 3 + r.IntN(12), Racks: 1 + r.IntN(3), Seed: 1 + r.Uint64N(1000),
		Flows: r.IntN(2) == 0, Heartbeats: r.IntN(3) == 0, Set: []string{"reduce.rule=" + pick("any", "cogrs", "larts"), "speculation.rule=" + pick("none", "late")},
	}
	if s.Flows {
		s.Over = float64(1 + r.IntN(8))
	}
	return s
}

// The WebAssembly module answers byte for byte as Handle does, for every scenario of the repository
// and 50 random set-ups. The test needs Node: make test-play.
func TestWasmAnswersAlike(t *testing.T) {
	node := os.Getenv("PLAY_NODE")
	if node == "" {
		t.Skip("needs Node: make test-play")
	}
	dir := t.TempDir()
	built, err := exec.CommandContext(t.Context(), "go", "run", "./build", "-o", dir).CombinedOutput()
	require.NoError(t, err, "%s", built)
	packed, err := os.Stat(filepath.Join(dir, site.ModuleName))
	require.NoError(t, err)
	t.Logf("the module is %d bytes, packed", packed.Size())
	list := scenarios(t)
	list = append(list, Request{Op: "presets"}, Request{Op: "run", Setup: Setup{Workload: "jobs: 3\n", Policy: "hfs"}})
	r := rand.New(rand.NewPCG(15, 3))
	for k := range 50 {
		s := drawn(r)
		one := Request{Op: "run", Setup: s}
		if k%5 == 0 {
			one.Op, one.Other = "part", &Setup{Policy: "fifo"}
		}
		list = append(list, one)
	}
	var requests bytes.Buffer
	var want strings.Builder
	for i := range list {
		text, err := json.Marshal(list[i])
		require.NoError(t, err)
		requests.Write(append(text, '\n'))
		events := [2]hash.Hash{sha256.New(), sha256.New()}
		answer := Handle(text, func(side int, line []byte) { events[side].Write(line) })
		require.NotContains(t, string(answer), "panic")
		if list[i].Op == "run" && i > len(list)-50 {
			require.NotContains(t, string(answer[:min(len(answer), 12)]), "error", "%s", answer)
		}
		fmt.Fprintf(&want, "%x %x %x\n", sha256.Sum256(answer), events[0].Sum(nil), events[1].Sum(nil))
	}
	file := filepath.Join(dir, "requests")
	require.NoError(t, os.WriteFile(file, requests.Bytes(), 0o600))
	got, err := exec.CommandContext(t.Context(), node, "tests/answers.mjs", dir, file).Output()
	require.NoError(t, err)
	theirs, ours := strings.Split(string(got), "\n"), strings.Split(want.String(), "\n")
	require.Len(t, theirs, len(ours))
	for i := range ours {
		require.Equal(t, ours[i], theirs[i], "request %d", i)
	}
}
