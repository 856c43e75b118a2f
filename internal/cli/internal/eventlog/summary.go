package eventlog

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/clusterstate"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Summary is what events tell of each job.
type Summary struct{ state *clusterstate.State[struct{}] }

// NewSummary is a summary without events.
func NewSummary() Summary { return Summary{clusterstate.New[struct{}]()} }

// Add takes an event in.
func (s Summary) Add(e *actors.Event) {
	c := clusterstate.Of(e)
	s.state.Add(&c, struct{}{})
}

// Print writes a table with a line a job.
func (s Summary) Print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "job\tname\tpool\tstate\tsubmitted\tfirst launch\tsojourn\tmaps\tnode-local\t"+
		"rack-local\toff-rack\treduces\tfailed\tkilled\tsuspended\tskipped because")
	for j := range s.state.Jobs() {
		first := "-"
		if j.First >= 0 {
			first = "+" + short(j.First-j.Submitted)
		}
		fmt.Fprintf(t, "%v\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n",
			j.ID, j.Name, j.Pool, j.State, short(j.Submitted), first, short(j.Last-j.Submitted), j.Launched[scheduling.Map],
			j.Near[clusterstate.NodeLocal], j.Near[clusterstate.RackLocal], j.Near[clusterstate.Elsewhere],
			j.Launched[scheduling.Reduce], j.Failed, j.Killed, j.Suspended, why(j.Skips))
	}
	return t.Flush()
}

// why lists the reasons for which a job was passed over, most frequent first.
func why(skips map[event.Cause]int) string {
	if len(skips) == 0 {
		return "-"
	}
	causes := slices.SortedFunc(maps.Keys(skips), func(a, b event.Cause) int {
		return cmp.Or(cmp.Compare(skips[b], skips[a]), cmp.Compare(a, b))
	})
	words := make([]string, len(causes))
	for i, c := range causes {
		words[i] = fmt.Sprintf("%s (%d)", c, skips[c])
	}
	return strings.Join(words, ", ")
}

// short rounds a time to what a person reads.
func short(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	default:
		return d.Round(10 * time.Microsecond).String()
	}
}
