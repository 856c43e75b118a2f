package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// experiments/faults.csv has a column for each fault in experiments.yaml. Its rows are those with a
// verdict that experiments/results.md counts, except of the measured experiments. Each row that
// holds notices a fault.
func TestFaultTable(t *testing.T) {
	in, err := os.Open("../../../experiments/faults.csv")
	require.NoError(t, err)
	defer in.Close()
	lines, err := csv.NewReader(in).ReadAll()
	require.NoError(t, err)
	list, err := readFlaws("experiments.yaml")
	require.NoError(t, err)
	var names []string
	for _, f := range list {
		names = append(names, f.Name)
	}
	require.Equal(t, names, lines[0][4:])
	rows := map[string]int{} // by experiment and kind
	for _, line := range lines[1:] {
		rows[line[0]+" "+line[2]]++
		if line[3] == "holds" && !slices.Contains(line[4:], "x") {
			t.Errorf("%s: %s holds, and notices no fault", line[0], line[1])
		}
	}
	results, err := os.ReadFile("../../../experiments/results.md")
	require.NoError(t, err)
	want := map[string]int{}
	for _, line := range regexp.MustCompile("(?m)^\\| `.*").FindAllString(string(results), -1) {
		cells := strings.Split(line, " | ")
		name := strings.Trim(cells[0], "|` ")
		for k, kind := range []string{"printed", "said", "formula", "own"} {
			var holds, differs, cannotTell int
			_, _ = fmt.Sscanf(cells[2+k], "%d / %d / %d", &holds, &differs, &cannotTell) // or nothing
			if n := holds + differs + cannotTell; n > 0 && !slices.Contains(measured, name) {
				want[name+" "+kind] = n
			}
		}
	}
	require.Greater(t, len(want), 50)
	require.Equal(t, want, rows)
}
