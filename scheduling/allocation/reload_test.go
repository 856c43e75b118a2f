package allocation_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// start is any moment; second n is n seconds later.
var start = time.Date(2011, 5, 4, 3, 2, 1, 0, time.UTC)

func second(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }

// weightFile is an allocation file that gives pool p a weight.
func weightFile(weight string) []byte {
	return []byte("<allocations><pool name='p'><weight>" + weight + "</weight></pool></allocations>")
}

// follower is a Reloader with the weight that it applied last.
type follower struct {
	*allocation.Reloader
	weight float64
}

// newReloader starts with weight 1 at second 0.
func newReloader() *follower {
	f := &follower{weight: 1}
	f.Reloader = allocation.NewReloader(start, weightFile("1"), func(content []byte) error {
		fair, err := allocation.ParseFair("", bytes.NewReader(content))
		if err == nil {
			f.weight = fair.Allocations.Pools[0].Weight
		}
		return err
	})
	return f
}

// If the applied content is unknown, the first check loads the file.
func TestReloadOfUnknownContent(t *testing.T) {
	loads := 0
	r := allocation.NewReloader(start, nil, func([]byte) error { loads++; return nil })
	require.True(t, r.Offer(second(10), second(-100), nil).Loaded)
	require.False(t, r.Offer(second(20), second(-100), nil).Loaded)
	require.Equal(t, 1, loads)
}

// The Reloader checks every 10 s, and loads a file once its last change is more than 5 s old. So an
// edit takes effect 10 to 15 s later.
func TestReloadLooksAndSettles(t *testing.T) {
	r := newReloader()
	content := weightFile("2")
	require.False(t, r.Offer(second(9), second(3), content).Loaded, "9 s: not time to look")
	require.False(t, r.Offer(second(10), second(8), content).Loaded, "10 s: changed 2 s ago")
	require.False(t, r.Offer(second(19), second(8), content).Loaded, "19 s: not time to look")
	look := r.Offer(second(20), second(8), content)
	require.True(t, look.Loaded)
	require.NoError(t, look.Err)
	require.Equal(t, 2.0, r.weight)
	require.Equal(t, allocation.Look{}, r.Offer(second(30), second(8), content), "nothing new")
}

func TestReloadAtTheEdgeOfSettling(t *testing.T) {
	r := newReloader()
	require.False(t, r.Offer(second(10), second(5), weightFile("2")).Loaded, "exactly 5 s are not more than 5 s")
	r = newReloader()
	require.True(t, r.Offer(second(10), second(5).Add(-time.Nanosecond), weightFile("2")).Loaded)
}

// Hadoop ignores a file that is older than the one it replaces; the Reloader compares contents.
func TestReloadSeesOlderFilesAndIgnoresTouching(t *testing.T) {
	r := newReloader()
	look := r.Offer(second(10), second(-100000), weightFile("3"))
	require.True(t, look.Loaded)
	require.Equal(t, 3.0, r.weight)
	require.False(t, r.Offer(second(30), second(21), weightFile("3")).Loaded, "touched, not changed")
	require.True(t, r.Offer(second(40), second(21), weightFile("1")).Loaded, "back to the first")
}

// A file whose clock is ahead counts as settled once its modification time stops changing.
func TestReloadFromTheFuture(t *testing.T) {
	r := newReloader()
	ahead := second(100000)
	require.False(t, r.Offer(second(10), ahead, weightFile("2")).Loaded)
	require.True(t, r.Offer(second(20), ahead, weightFile("2")).Loaded)
}

// While the file is wrong the old allocations stay, and one error is reported for the whole streak.
func TestReloadKeepsTheOldOnError(t *testing.T) {
	r := newReloader()
	reports := 0
	for at := 10; at <= 60; at += 10 {
		content := weightFile("0")
		if at > 30 {
			content = []byte("<allocations>") // another error, same streak
		}
		look := r.Offer(second(at), second(at-6), content)
		require.Error(t, look.Err)
		require.False(t, look.Loaded)
		require.Equal(t, 1.0, r.weight)
		if look.Report {
			reports++
			require.Equal(t, 10, at)
		}
	}
	require.Equal(t, 1, reports)
	require.ErrorContains(t, r.Offer(second(61), second(54), weightFile("2")).Err, "not well-formed", "still not effective, between checks")
	require.True(t, r.Offer(second(70), second(61), weightFile("2")).Loaded)
	require.True(t, r.Offer(second(80), second(71), weightFile("0")).Report, "a new streak is reported again")
	back := r.Offer(second(90), second(81), weightFile("2"))
	require.False(t, back.Loaded, "this content is effective already")
	require.NoError(t, back.Err)
	require.True(t, r.Offer(second(100), second(91), weightFile("0")).Report, "that ended the streak, too")
}

func TestReloadByForce(t *testing.T) {
	r := newReloader()
	require.True(t, r.Force(second(1), weightFile("2")).Loaded, "no waiting")
	require.Equal(t, allocation.Look{}, r.Force(second(2), weightFile("2")))
	require.True(t, r.Force(second(3), weightFile("0")).Report)
	require.True(t, r.Force(second(4), weightFile("0")).Report, "whoever asks is told, again and again")
	require.False(t, r.Due(second(13)))
	require.True(t, r.Due(second(14)))
}

// A reload resets what the file no longer mentions and keeps what the file does not control.
func TestApplyResets(t *testing.T) {
	policy := scheduling.Policy{Pools: scheduling.Allocations{
		Pools: []scheduling.PoolConfig{{Name: "gone", Mode: scheduling.FIFOMode}}, PoolMode: scheduling.FIFOMode, UserMaxJobs: 3, MinTimeout: time.Minute,
		PoolPerUser: true, Known: true, SizeBasedWeight: true, BoostFactor: 3, BoostTime: time.Minute,
	}}
	allocation.Fair{}.Apply(&policy)
	require.Equal(t, scheduling.Allocations{PoolPerUser: true, Known: true, SizeBasedWeight: true, BoostFactor: 3, BoostTime: time.Minute}, policy.Pools)
}
