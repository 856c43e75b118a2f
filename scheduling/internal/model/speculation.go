package model

import (
	"fmt"
	"slices"
	"time"
)

// SpeculationRule names a rule that finds tasks slow enough for a speculative attempt. The first
// attempt of a task to succeed, or to be granted its commit, wins.
type SpeculationRule uint8

// The speculation rules.
const (
	NoSpeculation SpeculationRule = iota
	// NativeRule starts speculative attempts of tasks whose progress is 0.2 below the mean of their
	// kind in the job, on any node [Hadoop 0.20; Zaharia08 §2.1].
	NativeRule
	// LATE starts a speculative attempt of the slow task with the longest estimated time to end, on
	// a node that is not slow, while few speculative attempts run [Zaharia08 §4; Hadoop 0.21].
	LATE
)

var speculationNames = [...]string{"none", "native", "late"}

// String returns the rule's name in lower case.
func (r SpeculationRule) String() string { return speculationNames[r] }

// MarshalText returns the rule's name.
func (r SpeculationRule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText parses a rule's name.
func (r *SpeculationRule) UnmarshalText(text []byte) error {
	i := slices.Index(speculationNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("scheduling: unknown rule of speculation %q: want none, native or late", text)
	}
	*r = SpeculationRule(i)
	return nil
}

// SpeculationPolicy configures speculative execution. Zero numbers select the given defaults, which
// are Hadoop's.
type SpeculationPolicy struct {
	Rule SpeculationRule
	// Except excludes tasks of a kind, as mapreduce.map.speculative=false does.
	Except [2]bool
	// Lag is the minimum run time of an attempt before its task may get a speculative attempt; for
	// a reduce it counts from the end of the last map. Default 60 s.
	Lag time.Duration
	// SlowTask is the number of standard deviations by which the progress rate of a task must be
	// below the mean of the job's tasks of its kind; default 1
	// (mapreduce.job.speculative.slowtaskthreshold). LATE.
	SlowTask float64
	// SlowNode is the number of standard deviations by which the mean progress rate of a job's
	// tasks on a node must be below that of all its tasks for the node to get no speculative
	// attempt of the job; default 1 (mapreduce.job.speculative.slownodethreshold). LATE.
	SlowNode float64
	// Cap limits a job's speculative attempts of a kind to this fraction of its running tasks, but
	// MinCopies and 1 % of the cluster's slots are always allowed; default 0.1
	// (mapreduce.job.speculative.speculativecap). LATE.
	Cap float64
	// MinCopies is how many speculative attempts LATE allows any job; default 10.
	MinCopies int
}

func (p *SpeculationPolicy) validate(bad func(string, ...any)) {
	if int(p.Rule) >= len(speculationNames) {
		bad("speculation: unknown rule %d", p.Rule)
	}
	if p.Lag < 0 || !(p.SlowTask >= 0) || !(p.SlowNode >= 0) || !(p.Cap >= 0 && p.Cap <= 1) || p.MinCopies < 0 {
		bad("speculation: lag, thresholds and copies must not be negative, the cap 0 to 1")
	}
}
