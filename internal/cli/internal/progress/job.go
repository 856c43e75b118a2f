package progress

import (
	"fmt"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// JobBars names the bars of a job of that name.
func JobBars(job string) []string { return []string{job + " map", "reduce"} }

// OfJob is a job's progress as a display shows it; the line in Hadoop's form, and then the details.
func OfJob(p actors.Progress) State {
	line := fmt.Sprintf(" map %d%% reduce %d%%, %s",
		Percent(p.MapFraction), Percent(p.ReduceFraction), Details(p))
	eta := ""
	if left, ok := timeLeft(p); ok {
		eta = fmt.Sprintf("about %v left", left)
		line += ", " + eta
	}
	return State{Line: line, Bars: []Bar{
		{p.MapFraction, tasks(p.Maps) + ", " + Details(p)},
		{p.ReduceFraction, strings.TrimSuffix(tasks(p.Reduces)+", "+eta, ", ")},
	}}
}

// tasks says how many tasks of a kind there are, and how far they are.
func tasks(c actors.TaskCounts) string {
	return fmt.Sprintf("%d done, %d running of %d", c.Done, c.Running, c.Total)
}

// Done is the part of a job that is done. Maps and reduces count by their numbers.
func Done(p actors.Progress) float64 {
	maps, reduces := float64(p.Maps.Total), float64(p.Reduces.Total)
	if maps+reduces == 0 {
		return 0
	}
	return (p.MapFraction*maps + p.ReduceFraction*reduces) / (maps + reduces)
}

// timeLeft estimates the time to the end by the pace so far; false says that it is too early to
// tell.
func timeLeft(p actors.Progress) (time.Duration, bool) {
	d := Done(p)
	if d < 0.01 || d >= 1 || p.Elapsed < time.Second {
		return 0, false
	}
	return time.Duration(float64(p.Elapsed) * (1 - d) / d).Round(time.Second), true
}

// Details are bytes, records, locality and spills.
func Details(p actors.Progress) string {
	text := numbers.Human(p.Bytes)
	if p.InputBytes > 0 {
		text += " of " + numbers.Human(p.InputBytes)
	}
	if p.Records >= 10_000 {
		text += ", " + strings.TrimSuffix(numbers.Human(p.Records), "B") + " records"
	} else if p.Records > 0 {
		text += ", " + words.Count(p.Records, "record")
	}
	if launched := p.NodeLocal + p.RackLocal + p.OffRack; launched > 0 {
		text += fmt.Sprintf(", %d%% node-local", 100*p.NodeLocal/launched)
	}
	return text + ", spilled " + numbers.Human(p.Spilled)
}
