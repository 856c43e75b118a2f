package scenario

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/linear"
)

// A number out of bounds is rejected before the scenario runs, in one short line with its place.
func TestHostileScenarios(t *testing.T) {
	begin := "cluster nodes=1 map=1\nscheduler fifo\n"
	for name, c := range map[string]struct{ text, want string }{
		"nodes":       {"cluster nodes=1000000000\nscheduler fifo\n", "bad value nodes"},
		"racks":       {"cluster racks=1000000 nodes=1000000\nscheduler fifo\n", "at most 10000 nodes"},
		"slots":       {"cluster nodes=1000 map=1000000\nscheduler fifo\n", "200000 slots"},
		"overflow":    {"cluster nodes=99999999999999999999\nscheduler fifo\n", "bad value nodes"},
		"not UTF-8":   {begin + "\xff", "3: not text"},
		"NUL":         {begin + "a\x00", "3: not text"},
		"long line":   {begin + strings.Repeat("x", 1<<20), "3: a line of more than 65536 bytes"},
		"long word":   {"cluster " + strings.Repeat("x", 60_000) + "\nscheduler fifo\n", "is not of the form"},
		"statements":  {begin + strings.Repeat("at 0s pools\n", 100_001), "more than 100000 statements"},
		"time":        {begin + "at 2000h pools", "3: \"2000h\" is not a time"},
		"end":         {begin + "run until=2000000h => -", "bad value until"},
		"late end":    {begin + "run until=2000h => -", "at most 1000h"},
		"NaN":         {"cluster nodes=1 map=1\nscheduler capacity\nqueue default capacity=NaN\n", "capacity: \"NaN\": want above 0"},
		"infinity":    {"cluster nodes=1 map=1\nscheduler capacity\nqueue default capacity=Inf\n", "capacity: \"Inf\": want above 0"},
		"many tasks":  {begin + "at 0s submit J1 maps=1000000000", "bad value maps"},
		"stuck nodes": {"cluster nodes=10000 map=0\nscheduler fifo\nat 0s submit J1 maps=1\nrun until=1000h => J1=-\n", "heartbeats"},
	} {
		t.Run(name, func(t *testing.T) {
			err := play(t, c.text)
			require.ErrorContains(t, err, c.want)
			require.Less(t, len(err.Error()), 300)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// Whichever part of a scenario grows, the work of the parser grows at most linearly.
func TestHostileScenariosTakeLinearWork(t *testing.T) {
	for name, c := range map[string]struct{ begin, piece string }{
		"statements": {"cluster nodes=1 map=1\nscheduler fifo\n", "at 0s pools\n"},
		"words":      {"cluster ", "nodes=1 "},
		"line":       {"", "x"},
		"comments":   {"", "#\n"},
		"lines":      {"", "\n"},
		"arrows":     {"", "=> "},
	} {
		t.Run(name, func(t *testing.T) {
			build := func(n int) []byte { return []byte(c.begin + strings.Repeat(c.piece, n)) }
			linear.Check(t, 2000, build, func(text []byte) { _, _ = parse(strings.NewReader(string(text))) })
		})
	}
}

// play parses the text of a scenario and runs it.
func play(t *testing.T, text string) error {
	list, err := parse(strings.NewReader(text))
	if err != nil {
		return err
	}
	return (&runner{out: io.Discard}).runList(list, t.TempDir())
}

// No text makes the parser panic, and its error has one line.
func FuzzParse(f *testing.F) {
	f.Add("cluster racks=2 nodes=2 map=1\nscheduler hfs\npool a min=1/1\nat 0s submit J1 maps=2 pool=a => -\nat 1s heartbeat tt1 => J1.m0\n")
	f.Add("cluster nodes=1 map=1 reduce=1\nscheduler capacity\nqueue default capacity=100\nat 0s submit J1 maps=2 map-time=1s\nrun until=5s => J1=2s\n")
	f.Add("at 5s x=y => # =>")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parse(strings.NewReader(text))
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		_, _, err = setUp(t.TempDir(), list, &Options{})
		if err != nil {
			require.NotEmpty(t, err.Error())
		}
	})
}
