package allocation_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
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

func parseAllocations(content []byte) (scheduling.Allocations, error) {
	fair, err := allocation.ParseFair("", bytes.NewReader(content))
	return fair.Allocations, err
}

// newReloader starts with weight 1 at second 0.
func newReloader(t *testing.T) *allocation.Reloader[scheduling.Allocations] {
	t.Helper()
	r, a, err := allocation.NewReloader(start, weightFile("1"), parseAllocations)
	require.NoError(t, err)
	require.Equal(t, 1.0, a.Pools[0].Weight)
	return r
}

func TestReloadAtTheStartErrorsAreFatal(t *testing.T) {
	r, a, err := allocation.NewReloader(start, weightFile("0"), parseAllocations)
	require.ErrorContains(t, err, "weights are above 0")
	require.Nil(t, r)
	require.Empty(t, a)
}

// A look every 10 s, and only once the last change is more than 5 s old: the edit takes effect 10
// to 15 s later.
func TestReloadLooksAndSettles(t *testing.T) {
	r := newReloader(t)
	content := weightFile("2")
	require.False(t, r.Offer(second(9), second(3), content).Loaded, "9 s: not time to look")
	require.False(t, r.Offer(second(10), second(8), content).Loaded, "10 s: changed 2 s ago")
	require.False(t, r.Offer(second(19), second(8), content).Loaded, "19 s: not time to look")
	look := r.Offer(second(20), second(8), content)
	require.True(t, look.Loaded)
	require.NoError(t, look.Err)
	require.Equal(t, 2.0, look.Value.Pools[0].Weight)
	require.Equal(t, allocation.Look[scheduling.Allocations]{}, r.Offer(second(30), second(8), content), "nothing new")
}

func TestReloadAtTheEdgeOfSettling(t *testing.T) {
	r := newReloader(t)
	require.False(t, r.Offer(second(10), second(5), weightFile("2")).Loaded, "exactly 5 s are not more than 5 s")
	r = newReloader(t)
	require.True(t, r.Offer(second(10), second(5).Add(-time.Nanosecond), weightFile("2")).Loaded)
}

// Hadoop never sees a file that is older than the one it replaces; here the content counts.
func TestReloadSeesOlderFilesAndIgnoresTouching(t *testing.T) {
	r := newReloader(t)
	look := r.Offer(second(10), second(-100000), weightFile("3"))
	require.True(t, look.Loaded)
	require.Equal(t, 3.0, look.Value.Pools[0].Weight)
	require.False(t, r.Offer(second(30), second(21), weightFile("3")).Loaded, "touched, not changed")
	require.True(t, r.Offer(second(40), second(21), weightFile("1")).Loaded, "back to the first")
}

// A file from a clock that is ahead has settled once its time stands still.
func TestReloadFromTheFuture(t *testing.T) {
	r := newReloader(t)
	ahead := second(100000)
	require.False(t, r.Offer(second(10), ahead, weightFile("2")).Loaded)
	require.True(t, r.Offer(second(20), ahead, weightFile("2")).Loaded)
}

// While the file is wrong the old allocations stay, and one error is reported for the whole streak.
func TestReloadKeepsTheOldOnError(t *testing.T) {
	r := newReloader(t)
	reports := 0
	for at := 10; at <= 60; at += 10 {
		content := weightFile("0")
		if at > 30 {
			content = []byte("<allocations>") // another error, same streak
		}
		look := r.Offer(second(at), second(at-6), content)
		require.Error(t, look.Err)
		require.False(t, look.Loaded)
		require.Empty(t, look.Value)
		if look.Report {
			reports++
			require.Equal(t, 10, at)
		}
	}
	require.Equal(t, 1, reports)
	require.ErrorContains(t, r.Offer(second(61), second(54), weightFile("2")).Err, "not well-formed", "still not in force, between looks")
	require.True(t, r.Offer(second(70), second(61), weightFile("2")).Loaded)
	require.True(t, r.Offer(second(80), second(71), weightFile("0")).Report, "a new streak is reported again")
	back := r.Offer(second(90), second(81), weightFile("2"))
	require.False(t, back.Loaded, "what stands there is in force already")
	require.NoError(t, back.Err)
	require.True(t, r.Offer(second(100), second(91), weightFile("0")).Report, "that ended the streak, too")
}

func TestReloadByForce(t *testing.T) {
	r := newReloader(t)
	require.True(t, r.Force(second(1), weightFile("2")).Loaded, "no waiting")
	require.Equal(t, allocation.Look[scheduling.Allocations]{}, r.Force(second(2), weightFile("2")))
	require.True(t, r.Force(second(3), weightFile("0")).Report)
	require.True(t, r.Force(second(4), weightFile("0")).Report, "whoever asks is told, again and again")
	require.False(t, r.Due(second(13)))
	require.True(t, r.Due(second(14)))
}

func TestReloadFromAFileSystem(t *testing.T) {
	r := newReloader(t)
	file := &fstest.MapFile{Data: weightFile("2"), ModTime: second(1)}
	fsys := fstest.MapFS{"fair-scheduler.xml": file}
	require.False(t, r.Check(second(5), fsys, "fair-scheduler.xml").Loaded, "not time to look")
	require.True(t, r.Check(second(10), fsys, "fair-scheduler.xml").Loaded)
	file.Data, file.ModTime = weightFile("4"), second(18)
	require.False(t, r.Check(second(20), fsys, "fair-scheduler.xml").Loaded, "just written")
	require.True(t, r.Check(second(30), fsys, "fair-scheduler.xml").Loaded)

	delete(fsys, "fair-scheduler.xml")
	gone := r.Check(second(40), fsys, "fair-scheduler.xml")
	require.ErrorIs(t, gone.Err, fs.ErrNotExist)
	require.True(t, gone.Report)
	require.False(t, r.Check(second(50), fsys, "fair-scheduler.xml").Report)
	fsys["fair-scheduler.xml"] = &fstest.MapFile{Data: weightFile("4"), ModTime: second(51)}
	back := r.Check(second(60), fsys, "fair-scheduler.xml")
	require.NoError(t, back.Err)
	require.False(t, back.Loaded, "the same as before")
}

// restless is a file system in which the file changes while it is read.
type restless struct {
	fstest.MapFS
	reads int
}

func (r *restless) ReadFile(name string) ([]byte, error) {
	r.reads++
	r.MapFS[name].ModTime = r.MapFS[name].ModTime.Add(time.Second)
	return r.MapFS.ReadFile(name)
}

func TestReloadDoesNotTakeWhatIsBeingWritten(t *testing.T) {
	r := newReloader(t)
	fsys := &restless{MapFS: fstest.MapFS{"f": {Data: weightFile("2"), ModTime: second(0)}}}
	require.Equal(t, allocation.Look[scheduling.Allocations]{}, r.Check(second(10), fsys, "f"))
	require.Equal(t, 1, fsys.reads)
	require.True(t, r.Check(second(30), fsys.MapFS, "f").Loaded)
}

// unreadable is a file system whose files cannot be read.
type unreadable struct{ fstest.MapFS }

var errPermission = errors.New("permission denied")

func (unreadable) ReadFile(string) ([]byte, error) { return nil, errPermission }

func TestReloadReportsAnUnreadableFile(t *testing.T) {
	r := newReloader(t)
	look := r.Check(second(10), unreadable{fstest.MapFS{"f": {Data: weightFile("2"), ModTime: second(0)}}}, "f")
	require.ErrorIs(t, look.Err, errPermission)
	require.True(t, look.Report)
}

// The documented loop, with a real file and a real core.
func TestDocumentedLoop(t *testing.T) {
	dir := t.TempDir()
	write := func(weight string, modified time.Time) {
		name := filepath.Join(dir, "fair-scheduler.xml")
		require.NoError(t, os.WriteFile(name, weightFile(weight), 0o644))
		require.NoError(t, os.Chtimes(name, modified, modified))
	}
	write("1", second(-100))
	var weights []float64
	require.NoError(t, follow(dir, second(0), second(12), func() { write("7", second(3)) }, func(p scheduling.Policy) {
		weights = append(weights, p.Pools.Pools[0].Weight)
	}))
	require.Equal(t, []float64{1, 7}, weights)
}

// A reload resets what the file no longer mentions, and leaves alone what is not the file's.
func TestApplyResets(t *testing.T) {
	policy := scheduling.Policy{Pools: scheduling.Allocations{
		Pools: []scheduling.PoolConfig{{Name: "gone", Mode: scheduling.FIFOMode}}, PoolMode: scheduling.FIFOMode, UserMaxJobs: 3, MinTimeout: time.Minute,
		PoolPerUser: true, Known: true, SizeBasedWeight: true, BoostFactor: 3, BoostTime: time.Minute,
	}}
	allocation.Fair{}.Apply(&policy)
	require.Equal(t, scheduling.Allocations{PoolPerUser: true, Known: true, SizeBasedWeight: true, BoostFactor: 3, BoostTime: time.Minute}, policy.Pools)
}
