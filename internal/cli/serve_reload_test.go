package cli

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A running server applies an edit of any element of its allocation file [Hadoop Fair Scheduler
// Guide §4.2, §5]. The API returns the new value, and the page /scheduler shows it in its column,
// if it has one. A removed element gets its default.
func TestServerTakesUpEveryField(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pools.xml")
	empty := "<allocations><pool name='a'/></allocations>"
	write(t, file, empty)
	cmd, client := startServer(t, dir, "--allocations", "pools.xml")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	setting := func(t *testing.T, key string) string {
		p, err := client.Policy(ctx)
		require.NoError(t, err)
		for _, s := range p.Settings {
			if s.Key == key {
				return s.Value
			}
		}
		require.Fail(t, "no setting", key)
		return ""
	}
	page := func(t *testing.T) string {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, client.Base+"/scheduler", nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return string(text)
	}
	inPool := func(text string) string { return "<pool name='a'>" + text + "</pool>" }
	const row = `(?s)>a</td><td>0</td>\s`
	for _, c := range []struct{ name, edit, key, value, shown string }{
		{"minMaps", inPool("<minMaps>7</minMaps>"), "pools.list", "Min:[7 0]", row + `<td>7</td><td>-</td>`},
		{"minReduces", inPool("<minReduces>7</minReduces>"), "pools.list", "Min:[0 7]", row + `<td>0</td>.*<td>7</td><td>-</td>`},
		{"maxMaps", inPool("<maxMaps>7</maxMaps>"), "pools.list", "Max:[7 0]", row + `<td>0</td><td>7</td>`},
		{"maxReduces", inPool("<maxReduces>7</maxReduces>"), "pools.list", "Max:[0 7]", row + `<td>0</td><td>-</td>.*<td>0</td><td>7</td>`},
		{"minAboveMax", inPool("<minMaps>7</minMaps><maxMaps>5</maxMaps>"), "pools.list", "Min:[7 0] Max:[5 0]", row + `<td>7 \*</td><td>5</td>.*counts as that`},
		{"weight", inPool("<weight>7</weight>"), "pools.list", "Weight:7", ""},
		{"schedulingMode", inPool("<schedulingMode>fifo</schedulingMode>"), "pools.list", "Mode:2", `(?s)>a<.*>fifo<.*>default<.*>fair<`},
		{"maxRunningJobs", inPool("<maxRunningJobs>7</maxRunningJobs>"), "pools.list", "MaxJobs:7", ""},
		{"minSharePreemptionTimeout", inPool("<minSharePreemptionTimeout>7</minSharePreemptionTimeout>"), "pools.list", "MinTimeout:7s", ""},
		{"maxRunningJobsOfUser", "<user name='u'><maxRunningJobs>7</maxRunningJobs></user>", "pools.users", "Name:u MaxJobs:7", ""},
		{"poolMaxJobsDefault", "<poolMaxJobsDefault>7</poolMaxJobsDefault>", "pools.pool_max_jobs", "7", ""},
		{"userMaxJobsDefault", "<userMaxJobsDefault>7</userMaxJobsDefault>", "pools.user_max_jobs", "7", ""},
		{"defaultMinSharePreemptionTimeout", "<defaultMinSharePreemptionTimeout>7</defaultMinSharePreemptionTimeout>", "pools.min_timeout", "7s", ""},
		{"fairSharePreemptionTimeout", "<fairSharePreemptionTimeout>7</fairSharePreemptionTimeout>", "pools.fair_timeout", "7s", ""},
		{"defaultPoolSchedulingMode", "<defaultPoolSchedulingMode>fifo</defaultPoolSchedulingMode>", "pools.mode", "fifo", `(?s)>default<.*>fifo<`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := setting(t, c.key)
			require.NotContains(t, before, c.value)
			if c.shown != "" {
				require.NotRegexp(t, c.shown, page(t))
			}
			write(t, file, strings.Replace(empty, "</allocations>", c.edit+"</allocations>", 1))
			if strings.HasPrefix(c.edit, "<pool ") {
				write(t, file, "<allocations>"+c.edit+"</allocations>")
			}
			_, err := client.Reload(ctx)
			require.NoError(t, err)
			require.Contains(t, setting(t, c.key), c.value)
			if c.shown != "" {
				require.Regexp(t, c.shown, page(t))
			}
			write(t, file, empty)
			_, err = client.Reload(ctx)
			require.NoError(t, err)
			require.Equal(t, before, setting(t, c.key))
		})
	}
	stopServer(t, func() error { return cmd.Process.Signal(os.Interrupt) }, cmd.Wait)
}
