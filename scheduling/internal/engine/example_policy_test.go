package engine

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// The example of docs/schedulers.md, word for word.

// users makes the order "users": the user with the fewest running tasks goes first, however many
// jobs they are spread over; among a user's own jobs the oldest. It is fair sharing between people
// without a pool for each.
type users struct {
	core.FlatOrder
	jobs map[string][]*core.Job // of each user, oldest first
}

func New(c *core.Core, _ *model.Policy) (core.Order, error) {
	o := &users{jobs: map[string][]*core.Job{}}
	o.FlatOrder = core.FlatOrder{BaseOrder: core.BaseOrder{C: c}, RankOf: o.rank}
	return o, nil
}

// rank counts what all jobs of the user run; the job's id breaks ties, so that no two ranks are
// equal.
func (o *users) rank(j *core.Job, k model.TaskKind) index.Rank {
	running := 0
	for _, other := range o.jobs[j.Spec.User] {
		running += other.Work[k].Running
	}
	return index.Rank{Value: float64(running), Tie: int32(j.ID)}
}

func (o *users) Add(j *core.Job) error {
	o.jobs[j.Spec.User] = append(o.jobs[j.Spec.User], j)
	return o.FlatOrder.Add(j)
}

func (o *users) Remove(j *core.Job) {
	o.jobs[j.Spec.User] = slices.DeleteFunc(o.jobs[j.Spec.User], func(other *core.Job) bool { return other == j })
	o.FlatOrder.Remove(j)
}

// Changed moves all jobs of the user, since the rank of each depends on all.
func (o *users) Changed(j *core.Job, k model.TaskKind) {
	o.FlatOrder.Changed(j, k)
	for _, other := range o.jobs[j.Spec.User] {
		o.FlatOrder.Changed(other, k)
	}
}

// The end of the example.

// usersCore returns a core with the order users.
func usersCore(t *testing.T) (*core.Core, []model.NodeID) {
	t.Helper()
	c, nodes := newTestCore(t, "fair", nil)
	var err error
	c.Order, err = New(c, &c.Policy)
	require.NoError(t, err)
	return c, nodes
}

// Ann's three jobs and Bob's one: half of the slots for each of the two.
func TestExamplePolicySharesBetweenUsers(t *testing.T) {
	c, nodes := usersCore(t)
	for _, user := range []string{"ann", "ann", "ann", "bob"} {
		submit(t, c, model.JobSpec{Name: "j", User: user, Maps: 100})
	}
	launched := map[string]int{}
	var first []model.AttemptID
	for i, n := range nodes {
		got := beat(t, c, time.Second, n)
		for _, a := range got {
			launched[c.Job(a.Task.Job).Spec.User]++
		}
		if i == 0 {
			first = got
		}
	}
	require.Equal(t, map[string]int{"ann": 4, "bob": 4}, launched)

	// A slot of Ann's goes back to Ann: she is then the one with fewer.
	require.Equal(t, model.JobID(1), first[0].Task.Job)
	next := beat(t, c, 2*time.Second, nodes[0], model.Status{Attempt: first[0], State: model.StateSucceeded})
	require.Len(t, next, 1)
	require.Equal(t, "ann", c.Job(next[0].Task.Job).Spec.User)
}

// Every job ends, and an ended job does not count any more.
func TestExamplePolicyRunsJobsThrough(t *testing.T) {
	c, nodes := usersCore(t)
	for _, user := range []string{"ann", "bob", "ann"} {
		submit(t, c, model.JobSpec{Name: "j", User: user, Maps: 5, Reduces: 2})
	}
	running := map[model.NodeID][]model.AttemptID{}
	for second := 1; second < 20; second++ {
		for _, n := range nodes {
			var done []model.Status
			for _, a := range running[n] {
				done = append(done, model.Status{Attempt: a, State: model.StateSucceeded})
			}
			running[n] = beat(t, c, time.Duration(second)*time.Second, n, done...)
		}
	}
	for id := model.JobID(1); id <= 3; id++ {
		require.Equal(t, model.JobSucceeded, c.View().State(id))
	}
	require.Empty(t, c.Order.(*users).jobs["ann"])
	require.Empty(t, c.View().Active())
}

// The example of docs/schedulers.md is the one compiled and tested here.
func TestExamplePolicyIsTheDocumentedOne(t *testing.T) {
	source, err := os.ReadFile("example_policy_test.go")
	require.NoError(t, err)
	_, example, _ := strings.Cut(string(source), "word for word.\n\n")
	example, _, _ = strings.Cut(example, "\n// The end of the example.")
	page, err := os.ReadFile("../../../docs/schedulers.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "```go\npackage users\n\nimport (\n\t\"slices\"\n\n\t\"github.com/tarry-mr/tarry/scheduling/internal/core\"\n\t\"github.com/tarry-mr/tarry/scheduling/internal/index\"\n\t\"github.com/tarry-mr/tarry/scheduling/internal/model\"\n)\n\n"+example+"```\n")
	require.LessOrEqual(t, strings.Count(example, "\n"), 50)
}
