package workload

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Read applies the scale of times and the number of jobs to every format of trace.
func TestReadForms(t *testing.T) {
	texts := map[string]string{
		"swim":    "j0\t10\t0\t64\t0\t0\nj1\t20\t10\t64\t0\t0\nj2\t30\t10\t64\t0\t0\n",
		"coflow":  "3 3\n1 10000 1 0 1 1:5\n2 20000 1 0 1 1:5\n3 30000 1 0 1 1:5\n",
		"sls":     `{"am.type":"mapreduce","job.start.ms":10000,"job.end.ms":11000,"job.id":"a","job.queue.name":"q","job.tasks":[{"container.host":"/r/n","container.start.ms":10000,"container.end.ms":11000,"container.priority":20,"container.type":"map"}]}` + "\n",
		"alibaba": "m1,1,j_1,1,Terminated,10,20,100,0.5\nm1,1,j_2,1,Terminated,30,40,100,0.5\n",
	}
	for _, form := range Forms() {
		text := texts[form]
		if form == "sls" {
			text += strings.NewReplacer("10000", "30000", "11000", "31000", `"a"`, `"b"`).Replace(text)
		}
		plain, err := Read(form, strings.NewReader(text), form, TraceOptions{})
		require.NoError(t, err, form)
		require.Greater(t, len(plain.Jobs), 1, form)
		last := plain.Jobs[1].Submit
		require.Positive(t, last, form)
		twice, err := Read(form, strings.NewReader(text), form, TraceOptions{TimeScale: 2})
		require.NoError(t, err)
		require.InDelta(t, 2*last, twice.Jobs[1].Submit, float64(time.Second), form)
		first, err := Read(form, strings.NewReader(text), form, TraceOptions{Jobs: 1})
		require.NoError(t, err)
		require.Len(t, first.Jobs, 1, form)
	}
	_, err := Read("csv", strings.NewReader(""), "x", TraceOptions{})
	require.ErrorContains(t, err, `no form of traces "csv"`)
}
