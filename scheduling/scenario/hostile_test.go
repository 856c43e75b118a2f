package scenario

import (
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/linear"
)

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

// No text makes the parser panic, and its error has one line.
func FuzzParse(f *testing.F) {
	f.Add("cluster racks=2 nodes=2 map=1\nscheduler hfs\npool a min=1/1\nat 0s submit J1 maps=2 pool=a => -\nat 1s heartbeat tt1 => J1.m0\n")
	f.Add("cluster nodes=1 map=1 reduce=1\nscheduler capacity\nqueue default capacity=100\nat 0s submit J1 maps=2 map-time=1s\nrun until=5s => J1=2s\n")
	f.Add("at 5s x=y => # =>")
	nothing := func(string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parse(strings.NewReader(text))
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		err = interpret(func() { (&runner{opts: Options{Open: nothing}}).setUp(list) })
		if err != nil {
			require.NotEmpty(t, err.Error())
		}
	})
}
