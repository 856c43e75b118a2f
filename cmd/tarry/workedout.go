package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/scheduling"
)

// workedOut are the values that a command works out when nobody says anything of a flag, with how it does.
type workedOut map[string]struct{ value, from string }

// workOut gives the values that a command works out, with the other flags as they are.
func workOut(cmd *cobra.Command) workedOut {
	c := foresee(cmd, nil)
	w := workedOut{}
	set := func(flag, value, from string) { w[flag] = struct{ value, from string }{value, from} }
	switch {
	case c.isA("run"), c.isA("batch"):
		nodes := max(number(c.value("nodes")), number(c.value("racks")))
		cores := strconv.Itoa(runtime.GOMAXPROCS(0))
		set("nodes", strconv.Itoa(nodes), "one a rack")
		set("map-slots", cores, "one a core")
		set("reduce-slots", cores, "one a core")
		set("replication", strconv.Itoa(min(3, nodes)), "3, or all nodes if fewer")
		set("block-size", "64MiB", "less for small inputs")
		set("reduces", "1 or more", "one for each 64MiB of input")
		set("spill-dir", os.TempDir(), "the system's for temporary files")
		set("pool", "the user's", "of hfs")
		set("queue", "default", "of capacity")
		budget := byteSize(new(clusterFlags).memoryBudget())
		set("memory", humanBytes(int64(budget)), "half of what this process may use")
		if budget == 0 {
			set("memory", "no limit", "this machine does not say what it has")
		}
		workOutWaits(c, set, true, nodes)
	case c.isA("sim"):
		nodes := number(c.value("nodes"))
		set("heartbeat", scheduling.HeartbeatInterval(nodes).String(), "Hadoop's, by the number of nodes")
		set("until", "the end", "when all jobs are done")
		set("mtbf", "never", "nodes do not fail")
		set("original-nodes", "as traced", "not scaled")
		set("jobs", "all", "of the trace or workload")
		set("max-maps", "all", "of each job")
		workOutWaits(c, set, false, nodes)
	case c.isA("gen"):
		set("words", "500000 or 1000", "of text, or of pairs")
	case c.isA("experiment"):
		set("repeat", "several", "as many as each experiment needs")
	case c.isA("delay"):
		for flag := range strings.FieldsSeq("locality skips wait rack-skips rack-wait tasks nodes slots task-time rate jobs long") {
			set(flag, "not given", "")
		}
		set("racks", "none", "racks are left out")
		set("racks-per-block", "2", "as HDFS places them, with --racks")
		set("rack-locality", "(1+locality)/2", "with --racks")
	}
	return w
}

// workOutWaits tells what becomes of maps that wait and reduces that start, by the scheduler. A live cluster's waits follow the
// heartbeats.
func workOutWaits(c *combination, set func(flag, value, from string), live bool, nodes int) {
	if len(c.policies) != 1 {
		set("wait", "by scheduler", "each one's own")
		set("rack-wait", "by scheduler", "each one's own")
		set("skips", "by scheduler", "each one's own")
		set("slow-start", "by scheduler", "0.05, or 0.5 where reduces follow their input")
		return
	}
	p := c.policies[0]
	of := "of --scheduler " + p.Name
	waits, skips := [2]string{"0s", "0s"}, "none"
	switch {
	case p.Locality.Rule == scheduling.TimedWait && live:
		wait := min(15*time.Second, scheduling.HeartbeatInterval(nodes)*3/2).String()
		waits, of = [2]string{wait, wait}, of+", 1.5 heartbeat intervals"
	case p.Locality.Rule == scheduling.TimedWait:
		waits = [2]string{p.Locality.Waits[0].String(), p.Locality.Waits[1].String()}
	case p.Locality.Rule == scheduling.SkipCount:
		skips = fmt.Sprint(p.Locality.Skips)
	}
	set("wait", waits[0], of)
	set("rack-wait", waits[1], of)
	if c.given("wait") != c.given("rack-wait") {
		set("wait", c.value("rack-wait"), "as --rack-wait")
		set("rack-wait", c.value("wait"), "as --wait")
	}
	if c.given("skips") {
		set("wait", "0s", "--skips is given")
		set("rack-wait", "0s", "--skips is given")
	}
	set("skips", skips, "of --scheduler "+p.Name)
	slow := "0.05"
	if cmp.Or(c.value("reduce-placement"), "any") != "any" {
		slow = "0.5"
	}
	set("slow-start", slow, "of --reduce-placement "+c.value("reduce-placement"))
}
