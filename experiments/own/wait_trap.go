package own

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// errNoEnd says that a run on a bare Core did not end.
var errNoEnd = errors.New("the job did not end within 10,000 s")

// WaitTrap is SPARK-18886: resetting the wait at every local launch keeps a job on one node if its
// tasks are shorter than the wait.
func WaitTrap(ctx context.Context, _ study.Options) (*study.Result, error) {
	r := &study.Result{Setup: []string{
		"100 nodes of one slot, heartbeats of each every second; one job of 500 maps that all " +
			"prefer node 1; W1 = 6 s, tasks of 5 and 7 s. The Core is driven directly.",
		"paper: Algorithm 3's rule, every local launch resets the wait; capped: the wait goes on " +
			"over a local launch if offers were refused since the launch before.",
	}}
	fig := study.Figure{
		Name: "trap", Title: "A job whose data lies on one node", X: "rule", Y: "seconds",
		Categories: []string{"paper, 5 s", "capped, 5 s", "paper, 7 s", "capped, 7 s"},
		Series:     []*study.Series{{Name: "time of the job"}},
	}
	var took []float64
	for _, task := range []time.Duration{5 * time.Second, 7 * time.Second} {
		for _, capped := range []bool{false, true} {
			end, err := trapRun(ctx, task, capped)
			if err != nil {
				return nil, err
			}
			took = append(took, end.Seconds())
		}
	}
	fig.Series[0].Y = took
	r.Rows = []study.Row{
		study.OwnRow("tasks of 5 s: the rule of the paper against the capped one", "×",
			"about 100, says SPARK-18886: one node of 100", study.More(20),
			study.Sure(took[0]/took[1])),
		study.FollowsRow("tasks of 5 s, rule of the paper", "s",
			"2,500: all on one node, one after the other", study.AtLeast(2500),
			study.Sure(took[0])),
		study.OwnRow("the rule of the paper, tasks of 5 s against tasks of 7 s", "×",
			"longer tasks help", study.More(1), study.Sure(took[0]/took[2])),
		study.Shown("tasks of 5 s, capped", "s", study.Sure(took[1])),
		study.Shown("tasks of 7 s, capped", "s", study.Sure(took[3])),
	}
	r.Figures = []study.Figure{fig}
	return r, nil
}

// trapRun gives the time of the job.
func trapRun(ctx context.Context, task time.Duration, capped bool) (time.Duration, error) {
	const nodes, maps = 100, 500
	p := setup.Preset("fair", func(p *scheduling.Policy) {
		setup.Waits(6*time.Second, 0)(p)
		p.Locality.Capped = capped
	})
	core, err := scheduling.NewCore(scheduling.Config{}, p)
	if err != nil {
		return 0, err
	}
	for i := range nodes {
		if _, err := core.Join(0,
			scheduling.Node{Name: fmt.Sprintf("node%03d", i+1), MapSlots: 1}); err != nil {
			return 0, err
		}
	}
	at := scheduling.Places{Offsets: make([]int32, maps+1), Nodes: make([]scheduling.NodeID, maps)}
	for i := range maps {
		at.Offsets[i+1] = int32(i + 1)
	}
	job, err := core.Submit(0, scheduling.JobSpec{Name: "trap", Maps: maps, Places: at})
	if err != nil {
		return 0, err
	}
	var running [nodes]scheduling.AttemptID
	var ends [nodes]time.Duration
	for now := time.Duration(0); now < 10_000*time.Second; now += time.Second / nodes {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n := int(now / (time.Second / nodes) % nodes)
		h := scheduling.Heartbeat{Node: scheduling.NodeID(n)}
		if ends[n] > 0 && ends[n] <= now {
			h.Statuses = []scheduling.Status{
				{Attempt: running[n], State: scheduling.StateSucceeded},
			}
			ends[n] = 0
		}
		got, err := core.Heartbeat(now, h)
		if err != nil {
			return 0, err
		}
		for _, order := range got.Actions {
			running[n], ends[n] = order.Attempt, now+task
		}
		if core.View().State(job).Ended() {
			return now, nil
		}
	}
	return 0, errNoEnd
}
