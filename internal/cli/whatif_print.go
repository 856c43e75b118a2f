package cli

import (
	"bufio"
	"fmt"
	"io"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling/simulator/replay"
)

// whatIf is what came of a replay.
type whatIf struct {
	name     string
	rec      *replay.Recording
	again    *replay.Outcome
	asked    *replay.Outcome // nil: nothing is changed
	settings []setting
}

// whatIfFigure is a figure of the table.
type whatIfFigure struct {
	name string
	of   func(*replay.Figures) float64
	kind figureKind
}

// figureKind says how two values compare.
type figureKind uint8

const (
	relative figureKind = iota // in per cent
	points                     // shares, in points
	asIs                       // as they are
)

// whatIfFigures lists them.
func whatIfFigures() []whatIfFigure {
	type f = *replay.Figures
	return []whatIfFigure{
		{"sojourn_mean_s", func(f f) float64 { return f.Mean }, relative},
		{"sojourn_median_s", func(f f) float64 { return f.Median }, relative},
		{"sojourn_p95_s", func(f f) float64 { return f.P95 }, relative},
		{"makespan_s", func(f f) float64 { return f.Makespan }, relative},
		{"node_local_share", func(f f) float64 { return f.NodeLocal }, points},
		{"rack_local_share", func(f f) float64 { return f.RackLocal }, points},
		{"off_rack_shuffle_gb", func(f f) float64 { return f.OffRackGB }, relative},
		{"fairness_jain", func(f f) float64 { return f.FairnessJain }, asIs},
		{"killed", func(f f) float64 { return float64(f.Killed) }, asIs},
		{"suspended", func(f f) float64 { return float64(f.Suspended) }, asIs},
		{"copies", func(f f) float64 { return float64(f.Copies) }, asIs},
	}
}

// change says how far b is from a.
func (k figureKind) change(a, b float64) string {
	switch {
	case k == points:
		return fmt.Sprintf("%+.2f pt", 100*(b-a))
	case k == asIs || a == 0:
		return fmt.Sprintf("%+.3g", b-a)
	}
	return fmt.Sprintf("%+.2f %%", 100*(b/a-1))
}

// value is a figure in words.
func (k figureKind) value(x float64) string {
	if k == points {
		return fmt.Sprintf("%.2f %%", 100*x)
	}
	return fmt.Sprintf("%.5g", x)
}

// print writes the table: the honest error first.
func (w *whatIf) print(to io.Writer) error {
	out := bufio.NewWriter(to)
	jobs, maps, reduces := w.rec.Jobs()
	nodes, racks := w.rec.Cluster()
	kind := "live"
	if w.rec.Began.Simulated {
		kind = "simulated"
	}
	fmt.Fprintf(out, "%s: a %s run of %s: %s, %s, %s on %s in %s\n", w.name, kind, w.rec.Policy.Name, words.Count(jobs, "job"),
		words.Count(maps, "map"), words.Count(reduces, "reduce"), words.Count(nodes, "node"), words.Count(racks, "rack"))
	was, is := &w.again.Recorded, &w.again.Again
	fmt.Fprintf(out, "The recorded policy again, in the simulator: mean sojourn %s, node-local maps %s. Smaller differences say nothing.\n\n",
		relative.change(was.Mean, is.Mean), points.change(was.NodeLocal, is.NodeLocal))
	head := []string{"figure", "recorded", "again", "error"}
	if w.asked != nil {
		head = append(head, "asked", "change")
	}
	lines := [][]string{head}
	for _, f := range whatIfFigures() {
		a, b := f.of(was), f.of(is)
		line := []string{f.name, f.kind.value(a), f.kind.value(b), f.kind.change(a, b)}
		if w.asked != nil {
			c := f.of(&w.asked.Again)
			line = append(line, f.kind.value(c), f.kind.change(b, c))
		}
		lines = append(lines, line)
	}
	if err := firstError(figureTable(out, lines), out.Flush()); err != nil || w.asked == nil {
		return err
	}
	return printSettings(to, []string{"recorded", "asked"}, w.settings)
}

// whatIfJSON is the outcome as JSON. Errors and changes are of the mean sojourn in per cent, and of
// the node-local share in points.
type whatIfJSON struct {
	Recorded replay.Figures  `json:"recorded"`
	Again    replay.Figures  `json:"again"`
	Error    whatIfGap       `json:"error"` // of again from recorded
	Asked    *replay.Figures `json:"asked,omitempty"`
	Change   *whatIfGap      `json:"change,omitempty"` // of asked from again
	// Settings are those in which the policies differ: recorded, asked.
	Settings map[string][2]string `json:"settings"`
	Warnings []string             `json:"warnings,omitempty"`
}

// whatIfGap is how far one run is from another.
type whatIfGap struct {
	SojournPercent float64 `json:"sojourn_mean_percent"`
	LocalPoints    float64 `json:"node_local_points"`
}

func gap(a, b *replay.Figures) whatIfGap {
	g := whatIfGap{LocalPoints: 100 * (b.NodeLocal - a.NodeLocal)}
	if a.Mean > 0 {
		g.SojournPercent = 100 * (b.Mean/a.Mean - 1)
	}
	return g
}

// object is the outcome as JSON.
func (w *whatIf) object() whatIfJSON {
	o := whatIfJSON{
		Recorded: w.again.Recorded, Again: w.again.Again, Error: gap(&w.again.Recorded, &w.again.Again),
		Settings: map[string][2]string{}, Warnings: w.rec.Warnings,
	}
	if w.asked == nil {
		return o
	}
	change := gap(&w.again.Again, &w.asked.Again)
	o.Asked, o.Change = &w.asked.Again, &change
	for _, s := range w.settings {
		o.Settings[s.name] = [2]string{s.values[0], s.values[1]}
	}
	return o
}
