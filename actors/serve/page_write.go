package serve

import (
	"math"
	"strconv"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/markup"
)

const schedulerStyle = `
:root { color-scheme: light dark; }
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5em; }
table { border-collapse: collapse; margin: 0 0 1.5em; }
th, td { border: 1px solid #8888; padding: .25em .6em; text-align: right; }
th:first-child, td.text { text-align: left; }
caption { text-align: left; font-weight: bold; padding: .4em 0; }
`

// page is the view as a document.
func (v *schedulerView) page() []byte {
	var m markup.Writer
	m.Put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Scheduler %s</title>\n<style>", v.Name)
	m.Raw([]byte(schedulerStyle))
	m.Put("</style>\n</head>\n<body>\n<h1>Scheduler %s</h1>\n<p><a href=\"/watch/\">Watch the cluster</a></p>\n", v.Name)
	if v.Reload != nil && v.Reload.Error != "" {
		m.Put("<p role=\"alert\">The configuration files are not reloaded, the old ones stay in force: %s</p>\n", v.Reload.Error)
	}
	if len(v.Pools) > 0 {
		v.writePools(&m)
	}
	v.writeJobs(&m)
	m.PutIf(v.More > 0, "<p>%s more jobs are not shown.</p>\n", v.More)
	if v.Advanced {
		m.Put("<p><a href=\"/scheduler\">Without weights</a></p>\n")
	} else {
		m.Put("<p><a href=\"/scheduler?advanced\">With weights</a></p>\n")
	}
	m.Put("</body>\n</html>\n")
	return m.Bytes()
}

func (v *schedulerView) writePools(m *markup.Writer) {
	m.Put(`<table>
<caption>Pools</caption>
<tr><th rowspan="2">Pool</th><th rowspan="2">Running jobs</th><th colspan="4">Map tasks</th><th colspan="4">Reduce tasks</th><th rowspan="2">Scheduling mode</th></tr>
<tr><th>Min share</th><th>Max share</th><th>Running</th><th>Fair share</th><th>Min share</th><th>Max share</th><th>Running</th><th>Fair share</th></tr>
`)
	crossed := false
	for i := range v.Pools {
		p := &v.Pools[i]
		m.Put("<tr><td class=\"text\">%s</td><td>%s</td>\n", p.Name, p.Jobs)
		for _, s := range []*api.PoolTasks{&p.Maps, &p.Reduces} {
			above := s.Max != nil && *s.Max < s.Min
			crossed = crossed || above
			m.Put("<td>%s", s.Min)
			m.PutIf(above, " *")
			m.Put("</td><td>%s</td><td>%s</td><td>%s</td>\n", boundText(s.Max), s.Running, shareText(s.Share))
		}
		mode := p.Mode
		if mode == "" {
			mode = "-"
		}
		m.Put("<td class=\"text\">%s</td></tr>\n", mode)
	}
	m.Put("</table>\n")
	m.PutIf(crossed, "<p>* The minimum share is above the maximum share, and counts as that.</p>\n")
}

func (v *schedulerView) writeJobs(m *markup.Writer) {
	columns := 3
	if v.Advanced {
		columns = 4
	}
	m.Put(`<table>
<caption>Running jobs</caption>
<tr><th rowspan="2">Submitted</th><th rowspan="2">JobID</th><th rowspan="2">User</th><th rowspan="2">Name</th><th rowspan="2">Pool, priority</th>
<th colspan="%s">Map tasks</th><th colspan="%s">Reduce tasks</th><th rowspan="2">Waits for</th></tr>
<tr>`, columns, columns)
	for range 2 {
		m.Put("<th>Finished</th><th>Running</th><th>Fair share</th>")
		m.PutIf(v.Advanced, "<th>Weight</th>")
	}
	m.Put("</tr>\n")
	for i := range v.Jobs {
		v.writeJob(m, &v.Jobs[i])
	}
	m.Put("</table>\n")
}

func (v *schedulerView) writeJob(m *markup.Writer, j *schedulerJob) {
	m.Put("<tr><td class=\"text\">%s</td><td>%s</td><td class=\"text\">%s</td><td class=\"text\">%s</td>\n",
		j.Submitted.Format("2006-01-02 15:04:05"), j.ID, j.User, j.Job.Job)
	m.Put("<td class=\"text\"><form method=\"post\" action=\"/scheduler/jobs/%s\">\n", j.ID)
	m.PutIf(v.Advanced, "<input type=\"hidden\" name=\"advanced\" value=\"1\">\n")
	m.Put("<label>Pool <select name=\"pool\">")
	m.PutIf(len(j.Pools) == 0, "<option value=\"\">-</option>")
	writeOptions(m, j.Pools, j.Pool)
	m.Put("</select></label>\n<label>Priority <select name=\"priority\">")
	writeOptions(m, v.Priorities, j.Priority)
	m.Put("</select></label>\n<button>Set</button></form></td>\n")
	v.writeTasks(m, j.Maps, j.MapShare, j.MapWeight)
	v.writeTasks(m, j.Reduces, j.ReduceShare, j.ReduceWeight)
	m.Put("<td class=\"text\">%s</td></tr>\n", j.Reason)
}

func writeOptions(m *markup.Writer, names []string, chosen string) {
	for _, name := range names {
		m.Put("<option")
		m.PutIf(name == chosen, " selected")
		m.Put(">%s</option>", name)
	}
}

func (v *schedulerView) writeTasks(m *markup.Writer, t api.Tasks, fair, weight *float64) {
	m.Put("<td>%s / %s</td><td>%s</td><td>%s</td>", t.Done, t.Total, t.Running, shareText(fair))
	m.PutIf(v.Advanced, "<td>%s</td>", shareText(weight))
	m.Put("\n")
}

// shareText writes a share or weight with a decimal.
func shareText(x *float64) string {
	if x == nil {
		return "NA"
	}
	return strconv.FormatFloat(math.Round(*x*10)/10, 'f', -1, 64)
}

// boundText writes a bound that there may not be.
func boundText(x *int) string {
	if x == nil {
		return "-"
	}
	return strconv.Itoa(*x)
}
