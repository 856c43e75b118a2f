package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// Figure is one value that a program measured of itself, such as the median latency of a tiny job.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// RunFigures runs a program that prints figures to standard output, one JSON object per line.
func RunFigures(ctx context.Context, args ...string) ([]Figure, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("bench: %s: %w", args[0], err)
	}
	return parseFigures(out)
}

func parseFigures(out []byte) ([]Figure, error) {
	var figures []Figure
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var f Figure
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return figures, fmt.Errorf("bench: figure %q: %w", lines.Text(), err)
		}
		figures = append(figures, f)
	}
	return figures, lines.Err()
}

// Names of the figures that the live program prints.
const (
	TinyMedian     = "tiny job p50"       // ms
	TinyWorst      = "tiny job p99"       // ms
	TinyRate       = "tiny jobs a second" // 1/s
	TinyGrowth     = "tiny jobs' memory"  // heap bytes that each job leaves, in a long run of tiny jobs
	EmptyTask      = "empty task"         // µs a task
	ManyNodes      = "40 nodes against 1" // time / time
	GoroutinesLeft = "goroutines left"    // by all tiny jobs

	// Rounds of iterative jobs on data in memory: the time of one in ms, its ratio to one of a loop.
	RankRound  = "PageRank: a round"
	RankTimes  = "PageRank: job / loop"
	MeansRound = "k-means: a round"
	MeansTimes = "k-means: job / loop"
	TinyRound  = "tiny round"
)
