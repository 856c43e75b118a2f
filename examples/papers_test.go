package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/experiments"
)

// In docs/papers.md: links to lines and to files of package scheduling, and names of experiments.
var (
	lineLink = regexp.MustCompile("\\[`([^`]+)`\\]\\(\\.\\./(scheduling/[^#)]+)#L(\\d+)\\)")
	fileLink = regexp.MustCompile(`\]\(\.\./(scheduling/[^#)]+)\)`)
	named    = regexp.MustCompile("Experiments?: ([^.\n]+)\\.")
)

// A link in docs/papers.md to a line of code has that line's text. Each file and experiment that
// the page names exists.
func TestPapersPointToTheCode(t *testing.T) {
	text, err := os.ReadFile("../docs/papers.md")
	require.NoError(t, err)
	page := string(text)
	links := lineLink.FindAllStringSubmatch(page, -1)
	require.Greater(t, len(links), 40)
	for _, link := range links {
		source, err := os.ReadFile(filepath.Join("..", link[2]))
		require.NoError(t, err)
		lines := strings.Split(string(source), "\n")
		at, err := strconv.Atoi(link[3])
		require.NoError(t, err)
		if at > len(lines) || !strings.Contains(lines[at-1], link[1]) {
			t.Errorf("line %d of %s does not have %q; these do: %v", at, link[2], link[1], linesWith(lines, link[1]))
		}
	}
	for _, link := range fileLink.FindAllStringSubmatch(page, -1) {
		require.FileExists(t, filepath.Join("..", link[1]))
	}
	var all []string
	for _, e := range experiments.All() {
		all = append(all, e.Name)
	}
	for _, names := range named.FindAllStringSubmatch(page, -1) {
		for name := range strings.SplitSeq(names[1], ", ") {
			require.Contains(t, all, strings.Trim(name, "`"))
		}
	}
}

// linesWith returns the numbers, from 1, of the lines that contain the text.
func linesWith(lines []string, text string) (at []int) {
	for i, line := range lines {
		if strings.Contains(line, text) {
			at = append(at, i+1)
		}
	}
	return at
}

// A row of docs/papers.md and the comment it links to share a number of a line or step.
func TestPapersAndCodeHaveTheSameNumbers(t *testing.T) {
	text, err := os.ReadFile("../docs/papers.md")
	require.NoError(t, err)
	numbered := 0
	for row := range strings.Lines(string(text)) {
		cells := strings.Split(row, " | ")
		link := lineLink.FindStringSubmatch(cells[len(cells)-1])
		if len(cells) != 3 || link == nil || !strings.Contains(link[1], " // ") {
			continue
		}
		_, numbers, _ := strings.Cut(link[1][strings.LastIndex(link[1], " // ")+len(" // "):], " ") // after line, lines, step or steps
		comment := numbersIn(numbers)
		require.True(t, slices.ContainsFunc(numbersIn(strings.Trim(cells[0], "| ")), func(n int) bool { return slices.Contains(comment, n) }), row)
		numbered++
	}
	require.Greater(t, numbered, 40)
}

// numbersIn returns the numbers in a list such as "3, 5 to 8"; nil if any part is not a number.
func numbersIn(text string) (list []int) {
	for part := range strings.SplitSeq(text, ", ") {
		from, to, several := strings.Cut(part, " to ")
		first, err := strconv.Atoi(from)
		if err != nil {
			return nil
		}
		last := first
		if several {
			last, _ = strconv.Atoi(to)
		}
		for n := first; n <= last; n++ {
			list = append(list, n)
		}
	}
	return list
}
