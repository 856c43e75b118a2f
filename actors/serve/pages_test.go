package serve

import (
	"iter"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

// gated returns a kind of job whose maps wait for one value of gate per record, with two reduces.
func gated(gate <-chan struct{}) Job {
	return Simple("gated", "Waits", func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		job := mapreduce.Job[[]byte, string, int64, string]{
			Name: "gated", Reducers: 2,
			MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, string, int64], error) {
				return mapreduce.Mapper[[]byte, string, int64]{Map: func(line []byte, emit func(string, int64)) error {
					select {
					case <-gate:
					case <-t.Context().Done():
						return t.Context().Err()
					}
					emit(string(line), 1)
					return nil
				}}, nil
			},
			Reduce: func(word string, _ iter.Seq[int64], emit func(string)) error {
				emit(word)
				return nil
			},
		}
		return job.Bind(mapreduce.Lines(src...), mapreduce.Text[string](to))
	})
}

// cells returns the texts of the first job's row on the page /scheduler.
func (b *bench) cells(query string) (list []string) {
	b.t.Helper()
	text := b.text(http.MethodGet, "/scheduler"+query, "", nil)
	_, text, found := strings.Cut(text, "<caption>Running jobs</caption>")
	require.True(b.t, found)
	_, text, found = strings.Cut(text, "<tr><td")
	require.True(b.t, found, "a job")
	for _, c := range regexp.MustCompile(`(?s)>(.*?)</td>(?:<td[^>]*|\s*<td[^>]*|)`).FindAllStringSubmatch(text, -1) {
		list = append(list, c[1])
	}
	return list
}

// The page /scheduler and the API show and change the same properties of a job: those of the Hadoop
// Fair Scheduler Guide §5.
func TestSchedulerPageOfAJob(t *testing.T) {
	var gate chan struct{}
	b := start(t, func(cfg *Config) {
		gate = make(chan struct{})
		cfg.Jobs = append(cfg.Jobs, gated(gate))
		cfg.Cluster.BlockSize = 2
	})
	b.write("in.txt", "a\nb\nc\n")
	ctx, began := t.Context(), time.Now()
	j := b.submit("gated", "in.txt", "-o", "out", "--pool", "ann", "--priority", "low")
	gate <- struct{}{} // lets one map succeed
	job := func() api.Job {
		j, err := b.Job(ctx, j.ID)
		require.NoError(t, err)
		require.Len(t, j.Stages, 1)
		return j
	}
	require.Eventually(t, func() bool {
		at := job().Stages[0]
		return at.Maps.Done == 1 && at.Maps.Running == 2 && at.Reduces.Running == 2
	}, 30*time.Second, 5*time.Millisecond)
	text := b.text(http.MethodGet, "/scheduler", "", nil)
	for _, want := range []string{
		"Submitted", "JobID", "User", "Name", "Pool", "Priority", "Finished", "Running", "Fair share",
		"Min share", "Max share", "Scheduling mode",
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "<th>Weight</th>")
	require.Contains(t, b.text(http.MethodGet, "/scheduler?advanced", "", nil), "<th>Weight</th>")
	cells, advanced, one := b.cells(""), b.cells("?advanced"), job()
	require.Len(t, cells, 12)
	require.Len(t, advanced, 14)
	at := one.Stages[0]
	for _, c := range []struct {
		name        string
		cell, wants string
		api, same   any
	}{
		{"Submitted", cells[0], one.Submitted.Format("2006-01-02 15:04:05"), one.Submitted.Before(began.Add(-time.Second)), false},
		{"JobID", cells[1], "1", one.ID, int64(1)},
		{"User", cells[2], "anonymous", one.User, "anonymous"},
		{"Name", cells[3], "gated", one.Job, "gated"},
		{"MapsFinished", cells[5], "1 / 3", [2]int{at.Maps.Done, at.Maps.Total}, [2]int{1, 3}},
		{"MapsRunning", cells[6], "2", at.Maps.Running, 2},
		{"MapFairShare", cells[7], "2", *at.MapShare, 2.0},
		{"ReducesFinished", cells[8], "0 / 2", [2]int{at.Reduces.Done, at.Reduces.Total}, [2]int{0, 2}},
		{"ReducesRunning", cells[9], "2", at.Reduces.Running, 2},
		{"ReduceFairShare", cells[10], "2", *at.ReduceShare, 2.0},
		{"MapsWeight", advanced[8], "0.5", cells[7], advanced[7]},
		{"ReducesWeight", advanced[12], "0.5", cells[10], advanced[11]},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.wants, c.cell)
			require.Equal(t, c.same, c.api)
		})
	}
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	change := func(fields string) api.Job {
		b.text(http.MethodPost, "/scheduler/jobs/1", fields, form)
		return job()
	}
	t.Run("Pool", func(t *testing.T) {
		require.Contains(t, cells[4], "<option selected>ann</option>")
		require.Contains(t, cells[4], "<option>default</option>", "another to choose")
		require.Equal(t, "ann", one.Pool)
		require.Equal(t, "default", change("pool=default").Pool)
		require.Contains(t, b.cells("")[4], "<option selected>default</option>")
	})
	t.Run("Priority", func(t *testing.T) {
		require.Contains(t, cells[4], "<option selected>low</option>")
		require.Equal(t, "low", one.Priority)
		for priority, weight := range map[string]string{"very_high": "4", "high": "2", "normal": "1", "low": "0.5", "very_low": "0.3"} { // 0.25
			require.Equal(t, priority, change("priority="+priority).Priority)
			now := b.cells("?advanced")
			require.Contains(t, now[4], "<option selected>"+priority+"</option>")
			require.Equal(t, weight, now[8])
		}
	})
}

// For a queue, the API shows running tasks and capacity, but no fair share.
func TestSchedulerPageOfQueues(t *testing.T) {
	b := start(t, func(cfg *Config) {
		p, err := scheduling.Preset("capacity")
		require.NoError(t, err)
		p.Queues = []scheduling.QueueConfig{{Name: "top"}, {Name: "default", Parent: "top"}}
		cfg.Cluster.Policy = p
	})
	b.write("in.txt", "a\n")
	b.submit("held", "in.txt", "-o", "out", "--queue", "default")
	p, err := b.Policy(t.Context())
	require.NoError(t, err)
	require.Equal(t, "top", p.Pools[0].Name)
	require.Eventually(t, func() bool {
		p, err = b.Policy(t.Context())
		require.NoError(t, err)
		return p.Pools[0].Maps.Running == 1
	}, 30*time.Second, 5*time.Millisecond)
	require.Equal(t, 1, p.Pools[1].Maps.Running)
	require.Nil(t, p.Pools[0].Maps.Share)
	require.Regexp(t, `(?s)>top</td><td>0</td>\s<td>4</td><td>-</td><td>1</td><td>NA</td>`, b.text(http.MethodGet, "/scheduler", "", nil))
}
