package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The paper's example of §3.5, there and back: 95 % for 20 tasks with 8 slots a node.
func TestDelayThereAndBack(t *testing.T) {
	cluster := " --tasks 20 --nodes 100 --slots 8 --task-time 20s --json"
	ask := func(question string) (a delayAnswer) {
		w := runHere(t, strings.Fields("delay "+question+cluster), nil)
		require.Equal(t, 0, w.code, w.errs)
		require.NoError(t, json.Unmarshal([]byte(w.out), &a))
		return a
	}
	there := ask("--locality 95%")
	require.Equal(t, 24.0, there.D1)
	require.Equal(t, 23, there.LeastD1)
	require.InDelta(t, 0.6, there.W1, 1e-9) // 24 offers at 800/20 s
	require.GreaterOrEqual(t, there.LocalityBound, 0.95)
	for _, question := range []string{"--skips 24", "--wait 600ms"} {
		back := ask(question)
		require.InDelta(t, there.D1, back.D1, 1e-6, question)
		require.InDelta(t, there.Locality, back.Locality, 1e-9, question)
		require.InDelta(t, there.W1, back.W1, 1e-9, question)
	}
}

// §4.1: 27 slots a second, W1 = 10 s.
func TestDelayTable(t *testing.T) {
	w := runHere(t, strings.Fields("delay --wait 10s --tasks 1 --nodes 620 --rate 27 --slots 5 "+
		"--jobs 15 --long 0.8 --racks 20 --rack-wait 1s"), nil)
	require.Equal(t, 0, w.code, w.errs)
	for _, want := range []string{
		"D1            270 ", "W1            10s ", "node-local    73.0 %", "72.9 % (sum)",
		"W2            1s ", "sticky slots  <= 64.5 %", "blocked       3.5 %",
		"1 map ", "27 slots become free per second",
	} {
		require.Contains(t, w.out, want)
	}
	require.Empty(t, w.errs)
}

func TestDelayRefusesBadInputInOneLine(t *testing.T) {
	for args, want := range map[string]string{
		"":                       "one of --locality, --skips and --wait",
		"--locality 1 --skips 2": "--locality and --skips exclude each other",
		"--locality 100% --tasks 1 --nodes 9 --rate 2": "no finite wait makes every task local",
		"--locality 150%":                          "--locality 150%: at most 1",
		"--locality NaN":                           "--locality NaN: no part",
		"--skips -1 --tasks 1 --nodes 9 --rate 2":  "--skips -1: at least 0",
		"--skips NaN --tasks 1 --nodes 9 --rate 2": "--skips NaN: no decimal number",
		"--wait -1s --tasks 1 --nodes 9 --rate 2":  "--wait -1s: at least 0s",
		"--wait 1s --tasks 0 --nodes -1 --rate 2":  "--tasks 0: at least 1",
		"--wait 1s --tasks 1 --nodes 9": "either the slot rate, " +
			"or slots per node and task time",
		"--wait 1s --tasks 1 --nodes 9 --rate 0":                    "--rate 0: at least 0.000001",
		"--wait 1s --tasks 1 --nodes 9 --rate -2":                   "--rate -2: at least 0.000001",
		"--wait 1s --tasks 1 --nodes 2 --rate 2":                    "replication 3 needs as many nodes",
		"--wait 1s --tasks 1 --nodes 9 --rate 2 --racks 10":         "more racks (10) than nodes (9)",
		"--wait 1s --tasks 1 --nodes 9 --rate 2 --rack-wait 1s":     "a wait for racks needs the number of racks",
		"--wait 1s --rack-skips 2":                                  "--rack-skips has no effect without --skips",
		"--wait 1s --tasks 1 --nodes 9 --rate 2 --jobs 5":           "--jobs has no effect without --slots",
		"--wait 1s --tasks 1 --nodes 9 --rate 2 --slots 2 --jobs 0": "--jobs 0: at least 1",
		"--wait tomorrow": "--wait tomorrow: no time with its unit",
		"now":             "no arguments but flags",
	} {
		w := runHere(t, strings.Fields("delay "+args), nil)
		require.Equal(t, exitUsage, w.code, args)
		require.Empty(t, w.out, args)
		require.Contains(t, w.errs, want, args)
		require.Equal(t, 1, strings.Count(w.errs, "\n"), "one line: %q", w.errs)
	}
}

// The example in docs/configuration.md shows what the program prints.
func TestDelayAsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "$ tarry delay ")
	require.True(t, found)
	args, rest, _ := strings.Cut(rest, "\n")
	want, _, _ := strings.Cut(rest, "```")
	w := runHere(t, strings.Fields("delay "+args), nil)
	require.Equal(t, 0, w.code, w.errs)
	require.Equal(t, want, w.out)
}
