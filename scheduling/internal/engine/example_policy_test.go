package engine

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// The example of docs/adding-a-policy.md, word for word.

// users makes the order "users": the user with the fewest running tasks goes first, however many
// jobs they are spread over; among a user's own jobs the oldest. It is fair sharing between people
// without a pool for each.
type users struct {
	flatOrder
	jobs map[string][]*job // of each user, oldest first
}

func newUsers(c *Core, _ *Policy) (order, error) {
	o := &users{jobs: map[string][]*job{}}
	o.flatOrder = flatOrder{simple: simple{c}, rankOf: o.rank}
	return o, nil
}

// rank counts what all jobs of the user run; the job's id breaks ties, so that no two ranks are
// equal.
func (o *users) rank(j *job, k TaskKind) index.Rank {
	running := 0
	for _, other := range o.jobs[j.spec.User] {
		running += other.w[k].running
	}
	return index.Rank{Value: float64(running), Tie: int32(j.id)}
}

func (o *users) add(j *job) error {
	o.jobs[j.spec.User] = append(o.jobs[j.spec.User], j)
	return o.flatOrder.add(j)
}

func (o *users) remove(j *job) {
	o.jobs[j.spec.User] = slices.DeleteFunc(o.jobs[j.spec.User], func(other *job) bool { return other == j })
	o.flatOrder.remove(j)
}

// changed moves all jobs of the user, since the rank of each depends on all.
func (o *users) changed(j *job, k TaskKind) {
	o.flatOrder.changed(j, k)
	for _, other := range o.jobs[j.spec.User] {
		o.flatOrder.changed(other, k)
	}
}

// The end of the example.

// usersCore is a core with the order users.
func usersCore(t *testing.T) (*Core, []NodeID) {
	t.Helper()
	c, nodes := newTestCore(t, "fair", nil)
	var err error
	c.order, err = newUsers(c, &c.pol)
	require.NoError(t, err)
	return c, nodes
}

// Ann's three jobs and Bob's one: half of the slots for each of the two.
func TestExamplePolicySharesBetweenUsers(t *testing.T) {
	c, nodes := usersCore(t)
	for _, user := range []string{"ann", "ann", "ann", "bob"} {
		_, err := c.Submit(0, JobSpec{Name: "j", User: user, Maps: 100})
		require.NoError(t, err)
	}
	launched := map[string]int{}
	var first []AttemptID
	for i, n := range nodes {
		got := beat(t, c, time.Second, n)
		for _, a := range got {
			launched[c.job(a.Task.Job).spec.User]++
		}
		if i == 0 {
			first = got
		}
	}
	require.Equal(t, map[string]int{"ann": 4, "bob": 4}, launched)

	// A slot of Ann's goes back to Ann: she is then the one with fewer.
	require.Equal(t, JobID(1), first[0].Task.Job)
	next := beat(t, c, 2*time.Second, nodes[0], Status{Attempt: first[0], State: StateSucceeded})
	require.Len(t, next, 1)
	require.Equal(t, "ann", c.job(next[0].Task.Job).spec.User)
}

// Every job gets through, and an ended one counts no more.
func TestExamplePolicyRunsJobsThrough(t *testing.T) {
	c, nodes := usersCore(t)
	for _, user := range []string{"ann", "bob", "ann"} {
		_, err := c.Submit(0, JobSpec{Name: "j", User: user, Maps: 5, Reduces: 2})
		require.NoError(t, err)
	}
	running := map[NodeID][]AttemptID{}
	for second := 1; second < 20; second++ {
		for _, n := range nodes {
			var done []Status
			for _, a := range running[n] {
				done = append(done, Status{Attempt: a, State: StateSucceeded})
			}
			running[n] = beat(t, c, time.Duration(second)*time.Second, n, done...)
		}
	}
	for id := JobID(1); id <= 3; id++ {
		require.Equal(t, JobSucceeded, c.View().State(id))
	}
	require.Empty(t, c.order.(*users).jobs["ann"])
	require.Empty(t, c.View().Active())
}

// What docs/adding-a-policy.md shows is what is compiled and tested here.
func TestExamplePolicyIsTheDocumentedOne(t *testing.T) {
	source, err := os.ReadFile("example_policy_test.go")
	require.NoError(t, err)
	_, example, _ := strings.Cut(string(source), "word for word.\n\n")
	example, _, _ = strings.Cut(example, "\n// The end of the example.")
	page, err := os.ReadFile("../../../docs/adding-a-policy.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "```go\npackage engine\n\nimport (\n\t\"slices\"\n\n\t\"github.com/tarry-mr/tarry/scheduling/internal/index\"\n)\n\n"+example+"```\n")
	require.LessOrEqual(t, strings.Count(example, "\n"), 50)
}
