package workload

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Forms returns the forms of trace that Read reads.
func Forms() []string { return []string{"swim", "coflow", "sls", "alibaba"} }

// Read reads a trace in one of the Forms: swim (see ReadSWIM), coflow (see ReadCoflows), sls (of
// Hadoop's SLS or Rumen, see ReadSLS) or alibaba (see ReadAlibaba). The options that are not about
// TimeScale and Jobs apply to swim alone. name is for messages.
func Read(form string, r io.Reader, name string, o TraceOptions) (w Workload, err error) {
	switch form {
	case "swim":
		return ReadSWIM(r, name, o)
	case "coflow":
		list, _, err := ReadCoflows(r, name)
		if err != nil {
			return w, err
		}
		return FromCoflows(list, CoflowOptions{TimeScale: o.TimeScale, Jobs: o.Jobs})
	case "sls":
		w, err = ReadSLS(r, name)
	case "alibaba":
		w, err = ReadAlibaba(r, name)
	default:
		return w, fmt.Errorf("workload: no form of traces %q (have %s)", form, strings.Join(Forms(), ", "))
	}
	if o.TimeScale > 0 {
		w.Stretch(o.TimeScale)
	}
	w.First(o.Jobs)
	return w, err
}

// First drops all jobs but the first n; 0 drops none.
func (w *Workload) First(n int) {
	if n > 0 && n < len(w.Jobs) {
		w.Jobs = slices.Clip(w.Jobs[:n])
	}
}
