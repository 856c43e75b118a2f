package main

import (
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Seconds.
const (
	hour = 3600
	year = 365 * 24 * hour
)

// limits says for each number flag what it may be, by the flag's name, or the command's and the flag's where commands
// differ. Sizes and rates are in bytes, times in seconds. Flags that are left out keep their default, whatever the range.
func limits() map[string]span {
	seeds := span{least: 0, most: math.MaxUint64}
	parts := span{least: 0, most: 1}
	rates := span{least: 64 << 10, most: 1 << 40, cluster: true}
	return map[string]span{
		// live and simulated clusters
		"nodes":            {1, 10_000, true}, // live ones take 4 s and 100 MiB to start and stop
		"racks":            {1, 10_000, true},
		"map-slots":        {1, 1_000, true},
		"reduce-slots":     {1, 1_000, true},
		"replication":      {1, 1_000, true},
		"block-size":       {1, 1 << 40, true},
		"memory":           {1, 1 << 44, true},
		"oversubscription": {1, 1_000, true},
		"node-link":        rates,
		"skips":            {0, 1e9, true},
		"wait":             {0, 1000 * hour, false},
		"rack-wait":        {0, 1000 * hour, false},
		"slow-start":       parts,
		"seed":             seeds,

		// jobs
		"reduces": {1, mostReduces, true},
		"lines":   {1, 1_000_000, false},

		// simulations
		"sim nodes":        {1, 100_000, true},
		"sim racks":        {1, 100_000, true},
		"sim reduce-slots": {0, 1_000, true},
		"task-setup":       {0, 24 * hour, false},
		"read-rate":        rates,
		"shuffle-rate":     rates,
		"link":             rates,
		"heartbeat":        {0.01, hour, true},
		"job-setup":        {0, 1000 * hour, false},
		"job-cleanup":      {0, 1000 * hour, false},
		"until":            {0.001, 100 * year, false},
		"mtbf":             {60, 100 * year, false},
		"slow-nodes":       parts,
		"stragglers":       parts,
		"task-fails":       parts,
		"hot-replicas":     parts,
		"original-nodes":   {1, 1_000_000, true},
		"sim jobs":         {1, 10_000_000, false},
		"max-maps":         {1, mostMaps, false},
		"time-scale":       {1e-6, 1e6, false},
		"skew-zipf":        {0, 20, false},
		"skew-shares":      {0, 20, false},
		"skew-cells":       {0, 20, false},
		"sim repeat":       {1, 10_000, false},

		// delay
		"locality":          parts,
		"rack-locality":     parts,
		"delay skips":       {0, 1e9, false},
		"rack-skips":        {0, 1e9, false},
		"tasks":             {1, 1_000_000, false},
		"delay nodes":       {1, 1_000_000, false},
		"delay replication": {1, 1_000_000, false},
		"slots":             {1, 1_000_000, false},
		"task-time":         {0.001, 1000 * hour, false},
		"rate":              {1e-6, 1e9, false},
		"delay racks":       {0, 1_000_000, false},
		"racks-per-block":   {1, 1_000_000, false},
		"delay jobs":        {1, 1_000_000, false},
		"long":              parts,

		// others
		"size":              {0, 1 << 44, false},
		"words":             {1, 10_000_000, false},
		"skew":              {0, 20, false},
		"experiment repeat": {0, 1_000, false},
	}
}

// limit gives all number flags of the commands their range, and help texts that tell it.
func limit(cmd *cobra.Command) { limitBy(limits(), cmd) }

func limitBy(table map[string]span, cmd *cobra.Command) {
	set := func(f *pflag.Flag) {
		if _, done := f.Value.(*numberValue); done || !isNumber(f.Value) {
			return
		}
		words := strings.Fields(cmd.CommandPath())
		command := ""
		if len(words) > 1 {
			command = words[1]
		}
		s, own := table[command+" "+f.Name]
		if !own {
			s = table[f.Name]
		}
		n := &numberValue{f.Value, s}
		f.Value = n
		if n.Type() == "part" || s.most == math.MaxUint64 {
			return // said by the type; any
		}
		with := strings.Replace(f.Usage, " (default", " ("+n.rangeText()+"; default", 1)
		if with == f.Usage {
			with += " (" + n.rangeText() + ")"
		}
		f.Usage = with
	}
	cmd.Flags().VisitAll(set)
	cmd.PersistentFlags().VisitAll(set)
	for _, sub := range cmd.Commands() {
		limitBy(table, sub)
	}
}
