package scenario

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
)

// settings returns the settings of policy files that an option word=value stands for. The word is
// the key of a setting or its end, with - or _, or one of the short words below.
func settings(word, value string) []policyfile.Setting {
	value = other(value, "on", "true", "off", "false")
	one := func(key, value string) []policyfile.Setting { return []policyfile.Setting{{Key: key, Value: value}} }
	switch word {
	case "skip":
		return append(one("locality.rule", "skips"), one("locality.skips", value)...)
	case "assign-multiple", "training":
		return one(other(word, "training", "hfsp.no_training", word, "one_task"), other(value, "true", "false", "false", "true"))
	case "preemption", "preemption.mode":
		return one("preemption.mode", other(value, "true", "on", "false", "off"))
	case "preempt":
		return one("hfsp.reclaim", other(value, "eager", "suspend"))
	case "new-job-boost":
		factor, long, _ := strings.Cut(value, ":")
		return append(one("pools.boost_factor", factor), one("pools.boost_time", long)...)
	case "max-jobs", "pool-max-jobs", "user-max-jobs":
		return one(strings.ReplaceAll(word, "-", "_"), limit(value))
	case "min", "max": // of a pool
		if maps, reduces, both := strings.Cut(value, "/"); both {
			return append(one(word+"_maps", limit(maps)), one(word+"_reduces", limit(reduces))...)
		}
	}
	word = other(word, "locality", "locality.rule", "reduce-placement", "reduce.rule", "reduce-node-delay", "reduce.node_wait",
		"reduce-rack-delay", "reduce.rack_wait", "pool-mode", "pools.mode")
	return one(strings.ReplaceAll(word, "-", "_"), value)
}

// limit converts "inf" and "-" of a scenario to "none", the word of policy files for no limit.
func limit(v string) string { return other(v, "inf", "none", "-", "none") }

// other translates v: pairs lists old and new values by turns; a value not in it is unchanged.
func other(v string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == v {
			return pairs[i+1]
		}
	}
	return v
}

// scheduler handles the scheduler statement: it sets w.policy.
func (w *world) scheduler(args []string) {
	if len(args) == 0 {
		refuse("scheduler needs a name")
	}
	w.policy = must(scheduling.Preset(args[0]))
	m := options(args[1:])
	w.policy.SlowStart = 0
	if w.drive == nil { // preemption rounds run only by preempt statements
		w.policy.Preemption.Interval, w.policy.Quincy.Interval = -1, -1
	}
	if file, given := m["allocations"]; given {
		w.allocations(file)
	}
	w.policy.Pools.PoolPerUser, w.policy.Pools.Known = false, true
	list := waits(m)
	for _, arg := range args[1:] {
		word, value, _ := strings.Cut(arg, "=")
		if word == "allocations" || word == "node-delay" || word == "rack-delay" {
			continue
		}
		for _, s := range settings(word, value) {
			if !policyfile.SetPart(&w.policy, w.opts.Parts, s) {
				list = append(list, s)
			}
		}
	}
	checkPolicy(policyfile.SetAll(&w.policy, list))
}

// waits returns the waits of maps for a node and for a rack, if m has one of the two.
func waits(m map[string]string) []policyfile.Setting {
	node, rack := m["node-delay"], m["rack-delay"]
	switch {
	case node == "" && rack == "":
		return nil
	case node == "auto" || rack == "auto":
		return []policyfile.Setting{{Key: "locality.rule", Value: "wait"}, {Key: "locality.auto", Value: "true"}}
	}
	both := cmp.Or(node, "5s") + "/" + cmp.Or(rack, "10s")
	return []policyfile.Setting{{Key: "locality.rule", Value: "wait"}, {Key: "locality.waits", Value: both}}
}

// entry handles a pool, user or queue statement: it adds an entry to the policy's list.
func (w *world) entry(list string, s statement) {
	if len(s.args) == 0 || !validName(s.args[0]) {
		refuse("%s needs a name of letters, digits, - and _", s.verb)
	}
	name := policyfile.Setting{Key: "name", Value: s.args[0]}
	checkPolicy(policyfile.Append(&w.policy, list, append(settingsOf(s.args[1:]), name)))
}

// defaults handles the default statement: settings for all pools and users.
func (w *world) defaults(args []string) {
	list := settingsOf(args)
	for i := range list {
		list[i].Key = "pools." + strings.TrimPrefix(list[i].Key, "pools.")
	}
	checkPolicy(policyfile.SetAll(&w.policy, list))
}

// settingsOf returns the settings of policy files that options WORD=VALUE stand for.
func settingsOf(args []string) (list []policyfile.Setting) {
	options(args)
	for _, arg := range args {
		word, value, _ := strings.Cut(arg, "=")
		list = append(list, settings(word, value)...)
	}
	return list
}

// checkPolicy is check without the prefix "bad policy: " of an error, which is no help in a
// scenario.
func checkPolicy(err error) {
	if err != nil {
		refuse("%s", strings.TrimPrefix(err.Error(), policyfile.ErrBad.Error()+": "))
	}
}

// allocations reads a fair-scheduler.xml from the scenario's directory.
func (w *world) allocations(file string) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(w.file), file)
	}
	f := must(w.opts.Open(file))
	defer f.Close()
	files, err := allocation.Read(allocation.Source{Name: file, Kind: allocation.PoolFile, Reader: f})
	if err != nil {
		refuse("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	for _, p := range files.Warnings {
		w.noted = append(w.noted, "warning: "+p.Error())
	}
	w.policy.Pools = files.Pools
}
