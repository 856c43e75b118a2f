package workload

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/linear"
)

// hostile builds workload files in which one part has n entries.
var hostile = map[string]func(n int) []byte{
	"brackets": linear.Repeat("jobs: ", "[", ""),
	"closed": func(n int) []byte {
		return append(linear.Repeat("jobs: ", "[", "")(n), linear.Repeat("", "]", "")(n)...)
	},
	"braces":       linear.Repeat("jobs: ", "{a: ", ""),
	"dashes":       linear.Repeat("jobs:\n", "- ", ""),
	"deeper":       func(n int) []byte { return deeper(n / 20) },
	"colons":       linear.Repeat("", "a: ", ""),
	"questions":    linear.Repeat("", "? ", ""),
	"anchors":      linear.Repeat("", "&a ", ""),
	"aliases":      linear.Repeat("jobs: [&a x,", "*a,", "]"),
	"tags":         linear.Repeat("jobs: ", "!!x ", ""),
	"keys":         linear.Repeat("", "k%d: 1\n", ""),
	"indented":     linear.Repeat("jobs:\n- name: a\n", "  k%d: 1\n", ""),
	"flow keys":    linear.Repeat("jobs: [{", "k%d: 1,", "}]"),
	"merge keys":   linear.Repeat("jobs:\n- maps: 1\n", "  <<: {maps: 1}\n", ""),
	"quoted keys":  linear.Repeat("jobs:\n- maps: 1\n", "  \"k%d\" : 1\n", ""),
	"jobs":         linear.Repeat("jobs:\n", "- {maps: 1}\n", ""),
	"long jobs":    linear.Repeat("jobs:\n", "- name: a\n  maps: 3\n  user: ann\n", ""),
	"files":        linear.Repeat("files:\n", "- {name: f%d, blocks: 1}\n", "jobs:\n- maps: 1\n"),
	"documents":    linear.Repeat("", "---\n", ""),
	"comments":     linear.Repeat("", "# x\n", "jobs: 1"),
	"comment":      linear.Repeat("#", "x", ""),
	"lines":        linear.Repeat("", "\n", ""),
	"spaces":       linear.Repeat("", " ", ""),
	"returns":      linear.Repeat("", "\r", ""),
	"digits":       linear.Repeat("jobs:\n- maps: ", "1", ""),
	"words":        linear.Repeat("jobs:\n- maps: ", "x ", ""),
	"quotes":       linear.Repeat("jobs:\n- maps: '", "''", ""),
	"escapes":      linear.Repeat("jobs:\n- maps: \"", "\\n", "\""),
	"literal":      linear.Repeat("jobs: |\n", "  x\n", ""),
	"folded":       linear.Repeat("jobs: >\n", "  x\n", ""),
	"continued":    linear.Repeat("jobs: x\n", "  x\n", ""),
	"directives":   linear.Repeat("", "% x\n", ""),
	"NUL":          linear.Repeat("jobs: ", "\x00", ""),
	"not UTF-8":    linear.Repeat("jobs: ", "\xff", ""),
	"SWIM":         linear.Repeat("", "j%d\t0\t0\t1\t1\t1\n", ""),
	"SWIM columns": linear.Repeat("", "j\t", ""),
	"SWIM paths":   linear.Repeat("", "j%d\t0\t0\t1\t1\t1\tp%d\t\t\n", ""),
	"SWIM faults":  linear.Repeat("", "j%d\n", ""),
	"SWIM numbers": linear.Repeat("j\t0\t0\t1\t1\t", "1", "\n"),
	"coflows":      linear.Repeat("2 1000000\n", "%d 0 1 0 1 1:1\n", ""),
	"coflow maps":  linear.Repeat("2 1\n1 0 1000000 ", "0 ", "1 1:1"),
	"SLS jobs":     linear.Repeat("", `{"job.id": "%d", "job.tasks": [{"container.end.ms": 1}]}`+"\n", ""),
	"SLS tasks":    linear.Repeat(`{"job.id": "a", "job.tasks": [`, `{"container.end.ms": %d, "container.host": "/%d/n"},`, "{}]}"),
	"Rumen":        linear.Repeat(`{"jobID": "a", "mapTasks": [`, `{"attempts": [{"result": "SUCCESS", "finishTime": %d}]},`, "{}]}"),
	"JSON deep":    linear.Repeat("", `{"job.tasks":[`, ""),
	"Alibaba":      linear.Repeat("", "M%d,1,1,j,Terminated,1,2,1,1\n", ""),
	"Alibaba DAG":  linear.Repeat("", "M%d_1_2,1,1,j,Terminated,1,2,1,1\n", ""),
	"one line":     linear.Repeat("", "x", ""),
}

// deeper returns a file with n mappings, each nested in the one before by indentation.
func deeper(n int) []byte {
	var b bytes.Buffer
	b.WriteString("jobs:\n")
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.Bytes()
}

// Whichever part of a file grows, the work of each reader grows at most linearly, and its errors
// stay short.
func TestHostileFilesTakeLinearWork(t *testing.T) {
	for name, build := range hostile {
		t.Run(name, func(t *testing.T) {
			short := func(err error) {
				if err != nil {
					require.Less(t, len(err.Error()), 1000)
				}
			}
			linear.Check(t, 1000, build, func(text []byte) {
				_, err := ReadYAML(bytes.NewReader(text), "w.yaml", rand.New(rand.NewPCG(1, 2)))
				short(err)
				for _, form := range Forms() {
					_, err = Read(form, bytes.NewReader(text), "t", TraceOptions{})
					short(err)
				}
			})
		})
	}
}

// The readers ignore a byte order mark, which some editors write before UTF-8.
func TestByteOrderMark(t *testing.T) {
	w, err := ReadYAML(strings.NewReader("\xef\xbb\xbfjobs:\n- maps: 1\n"), "w.yaml", rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	require.Len(t, w.Jobs, 1)
	w, err = Read("swim", strings.NewReader("\xef\xbb\xbfj\t0\t0\t1\t1\t1\n"), "t.tsv", TraceOptions{})
	require.NoError(t, err)
	require.Equal(t, "j", w.Jobs[0].Name)
}

// Read rejects options that make times invalid.
func TestTraceTimesStayInBounds(t *testing.T) {
	row := fmt.Sprintf("a\t%d\t0\t1\t1\t1\n", maxSeconds)
	_, err := Read("swim", strings.NewReader(row), "t", TraceOptions{TimeScale: 1e6})
	require.ErrorIs(t, err, ErrFormat)
	_, err = Read("swim", strings.NewReader(row), "t", TraceOptions{TimeScale: math.NaN()})
	require.ErrorContains(t, err, "out of range")
}

// Validate lists the first maxFaults mistakes of a workload and the number of the others.
func TestManyFaultsAreCounted(t *testing.T) {
	err := (&Workload{Jobs: make([]Job, 100_000)}).Validate()
	require.Error(t, err)
	require.Len(t, strings.Split(err.Error(), "\n"), maxFaults+1)
	require.ErrorContains(t, err, "and 99980 more faults")
}
