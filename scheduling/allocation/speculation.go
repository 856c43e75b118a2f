package allocation

import (
	"math"
	"slices"
	"strconv"

	"github.com/tarry-mr/tarry/scheduling"
)

// The properties about copies of slow tasks and about nodes on which tasks fail, under their old and
// new names [Hadoop 0.20, 0.21 mapred-default.xml].
var (
	propertiesCopyMaps    = []string{"mapred.map.tasks.speculative.execution", "mapreduce.map.speculative"}
	propertiesCopyReduces = []string{"mapred.reduce.tasks.speculative.execution", "mapreduce.reduce.speculative"}
	propertiesJobAvoids   = []string{"mapred.max.tracker.failures", "mapreduce.job.maxtaskfailures.per.tracker"}
	propertiesAllAvoid    = []string{"mapred.max.tracker.blacklists", "mapreduce.jobtracker.tasktracker.maxblacklists"}
)

const (
	propertyCap      = "mapreduce.job.speculative.speculativecap"
	propertySlowTask = "mapreduce.job.speculative.slowtaskthreshold"
	propertySlowNode = "mapreduce.job.speculative.slownodethreshold"
)

// isAboutAttempts tells the properties that attempt reads.
func isAboutAttempts(name string) bool {
	return name == propertyCap || name == propertySlowTask || name == propertySlowNode ||
		slices.Contains(slices.Concat(propertiesCopyMaps, propertiesCopyReduces, propertiesJobAvoids, propertiesAllAvoid), name)
}

// attempt reads a property about copies of slow tasks or about nodes on which tasks fail.
func (p *parameterParser) attempt(prop *property, text string) {
	s, a := &p.out.Speculation, &p.out.Avoid
	switch name := prop.name; {
	case slices.Contains(propertiesCopyMaps, name):
		p.copies(scheduling.Map, prop, text)
	case slices.Contains(propertiesCopyReduces, name):
		p.copies(scheduling.Reduce, prop, text)
	case name == propertyCap:
		s.Cap = p.part(prop, text)
		p.thresholds = prop
	case name == propertySlowTask:
		s.SlowTask = p.deviations(prop, text)
	case name == propertySlowNode:
		s.SlowNode = p.deviations(prop, text)
	case slices.Contains(propertiesJobAvoids, name):
		a.JobFailures, _ = count(&p.faults, prop.line, name, text, 1)
	default:
		a.Jobs, _ = count(&p.faults, prop.line, name, text, 1)
	}
}

// copies reads whether slow tasks of a kind are copied.
func (p *parameterParser) copies(k scheduling.TaskKind, prop *property, text string) {
	on, _ := boolean(&p.faults, prop.line, prop.name, text)
	p.copied[k] = on
}

// deviations reads a number of standard deviations.
func (p *parameterParser) deviations(prop *property, text string) float64 {
	p.thresholds = prop
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		p.add(prop.line, "%s: %q is not a number above 0", prop.name, shorten(text))
	}
	return x
}

// speculation settles which kinds of tasks are copied. Hadoop copies both unless told not to; here
// none is copied unless the file says so.
func (p *parameterParser) speculation() {
	if p.copied == [2]bool{} {
		if p.thresholds != nil {
			p.warn(p.thresholds.line, "%s has no effect without %s or %s", p.thresholds.name, propertiesCopyMaps[1], propertiesCopyReduces[1])
		}
		return
	}
	p.out.Speculation.Rule = scheduling.LATE
	p.out.Speculation.Except = [2]bool{!p.copied[0], !p.copied[1]}
}
