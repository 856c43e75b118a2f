package scenario

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// optionOrders says which orders heed an option of the scheduler statement; an option that is not
// listed goes with every order.
func optionOrders() map[string]string {
	return map[string]string{
		"assign-multiple": "pools", "preemption": "pools", "fair-timeout": "pools", "size-based-weight": "pools", "new-job-boost": "pools",
		"load-max-diff": "pools", "allocations": "pools", "spread": "fifo pools",
		"preempt": "hfsp", "training": "hfsp", "sample": "hfsp", "delta": "hfsp", "xi": "hfsp", "initial": "hfsp",
		"suspend-high": "hfsp", "suspend-low": "hfsp", "estimator": "hfsp", "weighted": "hfsp",
		"rule": "quincy", "rack-cost": "quincy", "far-cost": "quincy", "floor": "quincy", "lost": "quincy",
		"order": "", "locality": "", "skip": "", "node-delay": "", "rack-delay": "", "slow-start": "", "reduce-placement": "",
		"reduce-node-delay": "", "reduce-rack-delay": "", "reserve-long": "", "long-task": "",
		"speculation": "", "speculative-lag": "", "slow-task": "", "slow-node": "", "copies-cap": "", "min-copies": "",
		"job-failures": "", "faulty-jobs": "", "forgive": "",
	}
}

// scheduler reads the second statement.
func (w *world) scheduler(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("scheduler needs a name")
	}
	p, err := scheduling.Preset(args[0])
	if err != nil {
		return err
	}
	heeds := optionOrders()
	var allowed []string
	for name := range heeds {
		allowed = append(allowed, name)
	}
	m, err := options(args[1:], allowed...)
	if err != nil {
		return err
	}
	for _, arg := range args[1:] {
		name, _, _ := strings.Cut(arg, "=")
		if orders := heeds[name]; orders != "" && !strings.Contains(" "+orders+" ", " "+p.Order+" ") {
			return fmt.Errorf("scheduler %s has no option %s", p.Name, name)
		}
	}
	w.policy = p
	r := &reader{m: m}
	w.policy.SlowStart = r.float("slow-start", 0)
	if file, ok := m["allocations"]; ok {
		if err := w.allocations(file); err != nil {
			return err
		}
	}
	w.policy.Pools.PoolPerUser, w.policy.Pools.Known = false, true
	localityOptions(r, &w.policy)
	w.placementOptions(r)
	w.policy.Order = r.choice("order", w.policy.Order, slices.Collect(maps.Keys(w.parts.Orders))...)
	w.policy.Locality.Part = r.choice("locality", "", slices.Collect(maps.Keys(w.parts.Maps))...)
	attemptOptions(r, &w.policy)
	w.poolOptions(r)
	hfspOptions(r, &w.policy.HFSP)
	w.quincyOptions(r)
	if r.err != nil {
		return r.err
	}
	return w.optionsHeeded(m)
}

// optionsHeeded returns an error if an option has no effect beside the others.
func (w *world) optionsHeeded(m map[string]string) error {
	p := &w.policy
	_, node := m["node-delay"]
	_, rack := m["rack-delay"]
	learns, copies := p.Order == "hfsp" && !p.HFSP.NoTraining, p.Speculation.Rule != scheduling.NoSpeculation
	for _, x := range []struct {
		heeded bool
		want   string
		names  []string
	}{
		{!node && !rack, "no node-delay and no rack-delay, which take its place", []string{"skip"}},
		{p.NeedsSizes(), "reduce-placement=cogrs or larts", []string{"reduce-node-delay", "reduce-rack-delay"}},
		{p.ReserveLong > 0, "reserve-long", []string{"long-task"}},
		{copies, "speculation=late or native", []string{"speculative-lag", "slow-task", "slow-node", "copies-cap", "min-copies"}},
		{learns, "training=on", []string{"sample", "delta", "xi", "initial", "estimator"}},
		{p.HFSP.Reclaim == scheduling.EagerSuspend, "preempt=eager", []string{"suspend-high", "suspend-low"}},
	} {
		for _, name := range x.names {
			if _, stated := m[name]; stated && !x.heeded {
				return fmt.Errorf("option %s has no effect: it needs %s", name, x.want)
			}
		}
	}
	return nil
}

// attemptOptions reads what goes for copies of slow tasks and for nodes on which attempts fail.
func attemptOptions(r *reader, p *scheduling.Policy) {
	s := &p.Speculation
	switch r.choice("speculation", "off", "off", "late", "native") {
	case "late":
		s.Rule = scheduling.LATE
	case "native":
		s.Rule = scheduling.NativeRule
	}
	s.Lag = r.duration("speculative-lag", 0)
	s.SlowTask = r.float("slow-task", 0)
	s.SlowNode = r.float("slow-node", 0)
	s.Cap = r.float("copies-cap", 0)
	s.MinCopies = r.integer("min-copies", 0, 0)
	p.Avoid = scheduling.Avoidance{
		JobFailures: limit(r, "job-failures"), Jobs: limit(r, "faulty-jobs"), Forgive: r.duration("forgive", 0),
	}
}

// localityOptions reads skip, node-delay and rack-delay.
func localityOptions(r *reader, p *scheduling.Policy) {
	l := &p.Locality
	if v, ok := r.m["skip"]; ok {
		l.Rule, l.Skips, l.Waits = scheduling.SkipCount, nil, nil
		for part := range strings.SplitSeq(v, "/") {
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 {
				r.fail("skip")
			}
			l.Skips = append(l.Skips, n)
		}
	}
	_, node := r.m["node-delay"]
	_, rack := r.m["rack-delay"]
	if !node && !rack {
		return
	}
	waits := []time.Duration{5 * time.Second, 10 * time.Second}
	l.Rule, l.Skips = scheduling.TimedWait, nil
	for i, name := range []string{"node-delay", "rack-delay"} {
		if r.m[name] == "auto" {
			l.Auto = true
			continue
		}
		waits[i] = r.duration(name, waits[i])
	}
	l.Waits = waits
}

// placementOptions reads what goes for reduces, and for long tasks.
func (w *world) placementOptions(r *reader) {
	p := &w.policy
	switch rule := r.choice("reduce-placement", "any", append(slices.Collect(maps.Keys(w.parts.Reduces)), "any", "cogrs", "larts")...); rule {
	case "any":
	case "cogrs":
		p.Reduce.Rule = scheduling.CoGRS
	case "larts":
		p.Reduce.Rule = scheduling.LARTS
	default:
		p.Reduce.Part = rule
	}
	for i, name := range []string{"reduce-node-delay", "reduce-rack-delay"} {
		if _, ok := r.m[name]; ok {
			if p.Reduce.Waits[i] = r.duration(name, 0); p.Reduce.Waits[i] == 0 {
				p.Reduce.Waits[i] = -1
			}
		}
	}
	p.ReserveLong = r.integer("reserve-long", 0, 0)
	p.LongTask = r.duration("long-task", time.Minute)
}

// poolOptions reads the options of hfs.
func (w *world) poolOptions(r *reader) {
	p := &w.policy
	p.OneTask = !r.on("assign-multiple", true)
	p.Spread = r.on("spread", p.Spread)
	p.LoadMaxDiff = r.float("load-max-diff", 0)
	p.Pools.SizeBasedWeight = r.on("size-based-weight", false)
	p.Pools.FairTimeout = r.duration("fair-timeout", p.Pools.FairTimeout)
	switch r.choice("preemption", "off", "on", "off", "log") {
	case "on":
		p.Preemption.Mode = scheduling.PreemptOn
	case "log":
		p.Preemption.Mode = scheduling.PreemptLog
	}
	if !w.drives {
		p.Preemption.Interval = -1 // rounds run when the file says so
	}
	if v, ok := r.m["new-job-boost"]; ok {
		factor, long, _ := strings.Cut(v, ":")
		f, err1 := strconv.ParseFloat(factor, 64)
		d, err2 := time.ParseDuration(long)
		if err1 != nil || err2 != nil || !(f > 0) || math.IsInf(f, 0) || d <= 0 {
			r.fail("new-job-boost")
		}
		p.Pools.BoostFactor, p.Pools.BoostTime = f, d
	}
}

// hfspOptions reads the options of hfsp.
func hfspOptions(r *reader, h *scheduling.HFSPPolicy) {
	switch r.choice("preempt", "eager", "eager", "wait", "kill") {
	case "wait":
		h.Reclaim = scheduling.WaitForSlot
	case "kill":
		h.Reclaim = scheduling.KillLarger
	}
	h.NoTraining = !r.on("training", true)
	h.Sample = r.integer("sample", 0, 1)
	h.Delta = r.duration("delta", 0)
	h.Xi = r.float("xi", 0)
	h.Initial = r.duration("initial", 0)
	h.SuspendHigh = r.integer("suspend-high", 0, 0)
	h.SuspendLow = r.integer("suspend-low", 0, 0)
	h.Estimator = r.choice("estimator", "", "mean", "fit")
	h.Weighted = r.on("weighted", false)
}

// quincyOptions reads the options of quincy, in which 0 is 0.
func (w *world) quincyOptions(r *reader) {
	q := &w.policy.Quincy
	rules := map[string]scheduling.QuincyRule{"qfp": scheduling.QFP, "qf": scheduling.QF, "qp": scheduling.QP, "q": scheduling.Q}
	q.Rule = rules[r.choice("rule", "qfp", "qfp", "qf", "qp", "q")]
	for name, to := range map[string]*time.Duration{"rack-cost": &q.Rack, "far-cost": &q.Far} {
		if _, ok := r.m[name]; ok {
			if *to = r.duration(name, 0); *to == 0 {
				*to = -1
			}
		}
	}
	for name, to := range map[string]*float64{"floor": &q.Floor, "lost": &q.Lost} {
		if _, ok := r.m[name]; ok {
			if *to = r.float(name, 0); *to == 0 {
				*to = -1
			}
		}
	}
	if !w.drives {
		q.Interval = -1 // rounds run when the file says so
	}
}
