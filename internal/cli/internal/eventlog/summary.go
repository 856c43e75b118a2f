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
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Summary gathers what events tell of each job.
type Summary struct {
	byID map[scheduling.JobID]*jobSummary
	list []*jobSummary // in order of their first event
}

// jobSummary is one job's line.
type jobSummary struct {
	id                   scheduling.JobID
	name, pool, state    string
	submitted, first     time.Duration // first launch; negative before it
	ended                time.Duration
	launched             [2]int         // attempts, by kind
	near                 map[string]int // map attempts by locality
	failed, killed, held int            // attempts; held were suspended
	skips                map[event.Cause]int
}

// NewSummary is a summary without events.
func NewSummary() *Summary {
	return &Summary{byID: map[scheduling.JobID]*jobSummary{}}
}

// Add takes an event in.
func (s *Summary) Add(e *actors.Event) {
	id := JobOf(e)
	if id == 0 {
		return
	}
	j := s.byID[id]
	if j == nil {
		j = &jobSummary{
			id: id, first: -1, submitted: e.At, near: map[string]int{}, skips: map[event.Cause]int{},
		}
		s.byID[id] = j
		s.list = append(s.list, j)
	}
	j.ended = e.At
	switch e.Type {
	case event.Submitted:
		j.name, j.pool, j.state = e.Name, e.Pool, "running"
	case event.Launched:
		j.launch(e)
	case event.Failed:
		j.failed++
	case event.Killed:
		j.killed++
	case event.Suspended:
		j.held++
	case event.Skipped:
		j.skips[e.Reason.Cause]++
	case event.Pool:
		j.pool = e.Pool
	case event.Finished:
		j.state = e.State
	default:
	}
}

func (j *jobSummary) launch(e *actors.Event) {
	if j.first < 0 {
		j.first = e.At
	}
	kind := e.Attempt.Task.Kind
	j.launched[kind]++
	if kind == scheduling.Map {
		j.near[e.Near]++
	}
}

// Print writes the table.
func (s *Summary) Print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "job\tname\tpool\tstate\tsubmitted\tfirst launch\tsojourn\tmaps\tnode-local\t"+
		"rack-local\toff-rack\treduces\tfailed\tkilled\tsuspended\tskipped because")
	for _, j := range s.list {
		first := "-"
		if j.first >= 0 {
			first = "+" + short(j.first-j.submitted)
		}
		fmt.Fprintf(t, "%v\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n",
			j.id, j.name, j.pool, j.state, short(j.submitted), first, short(j.ended-j.submitted),
			j.launched[scheduling.Map], j.near[scheduling.NodeLocal.String()],
			j.near[scheduling.RackLocal.String()], j.near[scheduling.OffRack.String()],
			j.launched[scheduling.Reduce], j.failed, j.killed, j.held, j.why())
	}
	return t.Flush()
}

// why lists the reasons for which the job was passed over, most frequent first.
func (j *jobSummary) why() string {
	if len(j.skips) == 0 {
		return "-"
	}
	causes := slices.SortedFunc(maps.Keys(j.skips), func(a, b event.Cause) int {
		return cmp.Or(cmp.Compare(j.skips[b], j.skips[a]), cmp.Compare(a, b))
	})
	words := make([]string, len(causes))
	for i, c := range causes {
		words[i] = fmt.Sprintf("%s (%d)", c, j.skips[c])
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
