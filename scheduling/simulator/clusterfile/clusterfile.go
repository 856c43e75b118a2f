// Package clusterfile reads the description of a simulated cluster from a YAML file: classes of
// nodes, racks of different size, links and disks, stragglers, outages.
//
//	network: flows              # or factors, which has no links
//	link: 125MB                 # of a node, in each direction, per second
//	oversubscription: 4         # sum of a rack's node links over its uplink
//	disk: 200MB                 # what a node's disk gives to all its tasks together
//	classes:
//	  - {name: old, map_slots: 2, reduce_slots: 1, speed: 0.5}
//	  - {name: new, map_slots: 8, reduce_slots: 4, link: 1.25GB, disk: 600MB}
//	racks:                      # nodes are numbered from 0 in this order, and so are racks
//	  - {nodes: [40 old]}
//	  - {count: 2, nodes: [10 new, 5 old], uplink: 1GB}
//	stragglers: {part: 0.05, times: lognormal 3 0.5}
//	outages:
//	  - {node: 3, from: 10m, until: 20m}
//	  - {rack: 2, from: 1h}     # for good
package clusterfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/internal/yamlfile"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// ErrBad is wrapped by every error about a cluster file.
var ErrBad = errors.New("bad cluster")

// Limits.
const (
	maxNodes = 100_000
	maxSlots = 1_000
	maxClass = 1_000
	minRate  = 64 << 10 // bytes a second
	maxRate  = 1 << 40
	maxSpeed = 1_000.0
)

// reader parses one cluster file into cfg.
type reader struct {
	yamlfile.Reader
	cfg     *simulator.Config
	classes map[string]simulator.Machine
	flowing yamlfile.Node              // the first key that has an effect only with network: flows
	out     map[int][]simulator.Outage // outages read so far, by node
}

// Read parses a cluster file. It replaces the nodes, racks, slots, links and stragglers of cfg, and
// adds outages. Errors wrap ErrBad and begin with file, line and column; then cfg is of no use.
func Read(in io.Reader, name string, cfg *simulator.Config) error {
	r := &reader{
		Reader: yamlfile.Reader{Name: name, Bad: ErrBad}, cfg: cfg, classes: map[string]simulator.Machine{},
		out: map[int][]simulator.Outage{},
	}
	root, err := r.Root(in)
	if err != nil {
		return err
	}
	cl, nw := &cfg.Cluster, &cfg.Network
	cl.Nodes, cl.Racks, cl.MapSlots, cl.ReduceSlots, cl.Machines = 0, 0, 0, 0, nil
	cl.Stragglers, cl.StragglerTimes = 0, workload.Dist{}
	nw.Flows, nw.NodeLink, nw.Oversubscription, nw.Disk, nw.Uplinks = false, 0, 0, 0, nil
	var classes, racks, outages yamlfile.Node
	later := func(to *yamlfile.Node) yamlfile.Field {
		return func(n yamlfile.Node) error { *to = n; return nil }
	}
	err = r.Mapping(root, map[string]yamlfile.Field{
		"network": yamlfile.Value(&r.Reader, &nw.Flows, parseNetwork),
		"link":    r.onlyFlows(r.rate(&nw.NodeLink)), "disk": r.onlyFlows(r.rate(&nw.Disk)),
		"oversubscription": r.onlyFlows(r.number(&nw.Oversubscription, 1, 1000)),
		"stragglers":       r.stragglers,
		"classes":          later(&classes), "racks": later(&racks), "outages": later(&outages), // in this order
	})
	switch {
	case err != nil:
	case classes == nil:
		err = r.Fault(root, "no classes of nodes in it")
	case racks == nil:
		err = r.Fault(root, "no racks in it")
	default:
		err = r.parts(classes, racks, outages)
	}
	if err == nil && !nw.Flows && r.flowing != nil {
		err = r.Fault(r.flowing, "links and disks have no effect without network: flows")
	}
	return err
}

// parts reads classes, racks and outages, in this order because each uses the earlier ones.
func (r *reader) parts(classes, racks, outages yamlfile.Node) error {
	if err := r.Each(classes, r.class); err != nil {
		return err
	}
	if err := r.Each(racks, r.rack); err != nil {
		return err
	}
	slots := func(m simulator.Machine) bool { return m.MapSlots > 0 }
	switch {
	case r.cfg.Cluster.Nodes == 0:
		return r.Fault(racks, "no nodes in the racks")
	case !slices.ContainsFunc(r.cfg.Cluster.Machines, slots):
		return r.Fault(racks, "no node has a map slot")
	case outages == nil:
		return nil
	}
	return r.Each(outages, r.outage)
}

// onlyFlows returns `read` for a key that Read allows only with network: flows.
func (r *reader) onlyFlows(read yamlfile.Field) yamlfile.Field {
	return func(n yamlfile.Node) error {
		if r.flowing == nil {
			r.flowing = n
		}
		return read(n)
	}
}

func parseNetwork(s string) (flows bool, err error) {
	if s != "flows" && s != "factors" {
		return false, fmt.Errorf("network %.40q: want flows or factors", s)
	}
	return s == "flows", nil
}

// rate returns a reader of a YAML value in bytes per second, which sets *to.
func (r *reader) rate(to *float64) yamlfile.Field {
	return yamlfile.Value(&r.Reader, to, func(s string) (float64, error) {
		x, err := workload.ParseBytes(s)
		if err == nil && !(x >= minRate && x <= maxRate) {
			err = fmt.Errorf("%.40s is not between 64KiB and 1TiB a second", s)
		}
		return x, err
	})
}

// number returns a reader of a YAML number from least to most, which sets *to.
func (r *reader) number(to *float64, least, most float64) yamlfile.Field {
	return yamlfile.Value(&r.Reader, to, func(s string) (float64, error) {
		x, err := workload.ParsePlain(s, most)
		if err == nil && x < least {
			err = fmt.Errorf("%.40s is not between %v and %v", s, least, most)
		}
		return x, err
	})
}

// count returns a reader of a YAML integer from least to most, which sets *to.
func (r *reader) count(to *int, least, most int) yamlfile.Field {
	return yamlfile.Value(&r.Reader, to, func(s string) (int, error) { return parseCount(s, least, most) })
}

func parseCount(s string, least, most int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%.40q is not a whole number from %d to %d", s, least, most)
	}
	return n, nil
}

// class reads an entry of "classes".
func (r *reader) class(n yamlfile.Node) error {
	name, speed := "", 1.0
	m := simulator.Machine{MapSlots: -1, ReduceSlots: -1}
	err := r.Mapping(n, map[string]yamlfile.Field{
		"name":      yamlfile.Value(&r.Reader, &name, parseName),
		"map_slots": r.count(&m.MapSlots, 0, maxSlots), "reduce_slots": r.count(&m.ReduceSlots, 0, maxSlots),
		"speed": r.number(&speed, 1/maxSpeed, maxSpeed),
		"link":  r.onlyFlows(r.rate(&m.Link)), "disk": r.onlyFlows(r.rate(&m.Disk)),
	})
	_, twice := r.classes[name]
	switch {
	case err != nil:
		return err
	case name == "":
		return r.Fault(n, "a class needs a name")
	case twice:
		return r.Fault(n, "class %q twice", name)
	case m.MapSlots < 0 || m.ReduceSlots < 0:
		return r.Fault(n, "class %q needs map_slots and reduce_slots", name)
	case len(r.classes) == maxClass:
		return r.Fault(n, "more than %d classes", maxClass)
	}
	if speed != 1 {
		m.Slow = 1 / speed
	}
	r.classes[name] = m
	return nil
}

// parseName parses the name of a class: a word, since racks list it after a number.
func parseName(s string) (string, error) {
	if s == "" || len(s) > 100 || strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return "", fmt.Errorf("%.40q is not a name: want one word", s)
	}
	return s, nil
}

// rack reads an entry of "racks".
func (r *reader) rack(n yamlfile.Node) error {
	cl, count, uplink := &r.cfg.Cluster, 1, 0.0
	var nodes []simulator.Machine
	err := r.Mapping(n, map[string]yamlfile.Field{
		"count": r.count(&count, 1, maxNodes), "uplink": r.onlyFlows(r.rate(&uplink)),
		"nodes": func(n yamlfile.Node) error {
			return r.Each(n, func(n yamlfile.Node) error {
				more, err := r.machines(n)
				nodes = append(nodes, more...)
				return err
			})
		},
	})
	switch {
	case err != nil:
		return err
	case len(nodes) == 0:
		return r.Fault(n, "a rack needs nodes")
	case len(nodes)*count > maxNodes-cl.Nodes:
		return r.Fault(n, "more than %d nodes", maxNodes)
	}
	for range count {
		for _, m := range nodes {
			m.Rack = cl.Racks
			cl.Machines = append(cl.Machines, m)
		}
		cl.Nodes, cl.Racks = len(cl.Machines), cl.Racks+1
		r.cfg.Network.Uplinks = append(r.cfg.Network.Uplinks, uplink)
	}
	return nil
}

// machines returns the nodes that an entry describes: "10 new" is 10 of class new, "new" is one.
func (r *reader) machines(n yamlfile.Node) ([]simulator.Machine, error) {
	text, err := r.Scalar(n)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(text)
	count := 1
	if len(words) == 2 {
		if count, err = parseCount(words[0], 1, maxNodes); err != nil {
			return nil, r.Fault(n, "%v", err)
		}
		words = words[1:]
	}
	if len(words) != 1 {
		return nil, r.Fault(n, "%.40q: want a number of nodes and their class, such as 10 new", text)
	}
	m, known := r.classes[words[0]]
	if !known {
		return nil, r.Fault(n, "no class is called %.40q", words[0])
	}
	return slices.Repeat([]simulator.Machine{m}, count), nil
}

// stragglers reads the fraction of attempts that straggle, and by which factor these take longer.
func (r *reader) stragglers(n yamlfile.Node) error {
	cl := &r.cfg.Cluster
	err := r.Mapping(n, map[string]yamlfile.Field{
		"part": yamlfile.Value(&r.Reader, &cl.Stragglers, parsePart),
		"times": yamlfile.Value(&r.Reader, &cl.StragglerTimes, func(s string) (workload.Dist, error) {
			d, err := workload.ParseDist(s, func(s string) (float64, error) { return workload.ParsePlain(s, 1e6) })
			if err == nil && (d.A <= 0 || d.Shape == workload.ZipfRank && d.A > maxClass) {
				err = fmt.Errorf("%.40q: want factors above 0, or zipf of at most %d ranks", s, maxClass)
			}
			return d, err
		}),
	})
	if err == nil && cl.Stragglers == 0 {
		err = r.Fault(n, "stragglers need a part of the attempts")
	}
	return err
}

// parsePart parses a fraction: 0.05 or 5%.
func parsePart(s string) (float64, error) {
	digits, percent := strings.CutSuffix(s, "%")
	x, err := workload.ParsePlain(digits, maxRate)
	if percent {
		x /= 100
	}
	if err == nil && x > 1 {
		err = fmt.Errorf("%.40s is not between 0 and 1", s)
	}
	return x, err
}

// outage reads an entry of "outages".
func (r *reader) outage(n yamlfile.Node) error {
	node, rack := -1, -1
	from, until := 0.0, math.Inf(1)
	seconds := func(to *float64) yamlfile.Field { return yamlfile.Value(&r.Reader, to, parseWholeSeconds) }
	err := r.Mapping(n, map[string]yamlfile.Field{
		"node": r.count(&node, 0, r.cfg.Cluster.Nodes-1), "rack": r.count(&rack, 0, r.cfg.Cluster.Racks-1),
		"from": seconds(&from), "until": seconds(&until),
	})
	switch {
	case err != nil:
		return err
	case (node < 0) == (rack < 0):
		return r.Fault(n, "an outage is of a node or of a rack")
	case !(until > from):
		return r.Fault(n, "an outage until %vs that begins at %vs", until, from)
	}
	all := &r.cfg.Failures.Outages
	for i, m := range r.cfg.Cluster.Machines {
		if i != node && (rack < 0 || m.Rack != rack) {
			continue
		}
		o := simulator.Outage{Node: i, At: time.Duration(from) * time.Second}
		if !math.IsInf(until, 1) {
			o.For = time.Duration(until-from) * time.Second
		}
		if slices.ContainsFunc(r.out[i], func(p simulator.Outage) bool { return overlap(o, p) }) {
			return r.Fault(n, "node %d is out already at that time", i)
		}
		if len(*all) == maxNodes {
			return r.Fault(n, "more than %d outages of nodes", maxNodes)
		}
		r.out[i], *all = append(r.out[i], o), append(*all, o)
	}
	return nil
}

// overlap reports whether outages a and b of a node overlap. Between two outages there must be a
// second at least.
func overlap(a, b simulator.Outage) bool {
	ends := func(o simulator.Outage) time.Duration {
		if o.For == 0 {
			return math.MaxInt64
		}
		return o.At + o.For
	}
	return a.At <= ends(b) && b.At <= ends(a)
}

// parseWholeSeconds parses a time in whole seconds.
func parseWholeSeconds(s string) (float64, error) {
	x, err := workload.ParseSeconds(s)
	if err == nil && x != math.Trunc(x) {
		err = fmt.Errorf("%.40s: want whole seconds", s)
	}
	return x, err
}
