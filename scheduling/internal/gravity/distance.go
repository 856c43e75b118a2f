package gravity

import "math"

// Sums is where the known input of one reduce lies. It looks at every output and leaves the sums of
// Outputs alone, for it answers questions: when those are asked must not show in decisions. The zero
// value is ready for Sum.
type Sums struct {
	total   int64
	held    [][]int64 // by level and group; nodes are level 0
	feeding []Site    // the nodes that hold some of it
}

// Sum puts in s, whose memory it uses again, where the input of reduce r lies.
func (g *Outputs) Sum(r int32, s *Sums) {
	s.total, s.feeding = 0, s.feeding[:0]
	for l := range max(1, len(g.levels)) {
		groups := len(g.of)
		if l > 0 {
			groups = len(g.levels[l])
		}
		if l == len(s.held) {
			s.held = append(s.held, nil)
		}
		s.held[l] = append(s.held[l][:0], make([]int64, groups)...)
	}
	s.held = s.held[:max(1, len(g.levels))]
	for m := range g.outs {
		o := &g.outs[m]
		b := at(o.bytes, r)
		if b == 0 {
			continue
		}
		if s.held[0][o.at.Node] == 0 {
			s.feeding = append(s.feeding, o.at)
		}
		s.total += b
		for l := range s.held {
			s.held[l][o.at.Groups[l]] += b
		}
	}
}

// Center is the feeding node with the greatest score, of several the least; false if nothing is
// known of the input.
func (s *Sums) Center(levels int) (center Site, ok bool) {
	most := int64(0)
	for _, n := range s.feeding {
		if score := s.score(n, levels); !ok || score > most || score == most && n.Node < center.Node {
			center, most, ok = n, score, true
		}
	}
	return center, ok
}

// Distance is the weighted total network distance at a site, as Outputs.Distance by bytes.
func (s *Sums) Distance(at Site) int64 {
	return 2 * (int64(len(s.held))*s.total - s.score(at, len(s.held)))
}

// Rack is a number of nodes of a rack, and the site of one of them.
type Rack struct {
	Site
	Nodes int64
}

// Spread is the least and the mean Distance of the nodes that racks count; live reports whether a
// node is one of them. It looks at the input's sites and the racks, not at all nodes.
func (s *Sums) Spread(racks []Rack, live func(node int32) bool) (least, mean int64) {
	least, nodes, held := math.MaxInt64, int64(0), int64(0)
	for _, k := range racks {
		if k.Nodes > 0 {
			least = min(least, s.Distance(k.Site))
			nodes += k.Nodes
			held += k.Nodes * (s.score(k.Site, len(s.held)) - at(s.held[0], k.Node))
		}
	}
	for _, n := range s.feeding {
		if live(n.Node) {
			least = min(least, s.Distance(n))
			held += s.held[0][n.Node]
		}
	}
	return least, int64(float64(2*(int64(len(s.held))*s.total*nodes-held)) / float64(nodes))
}

// score is the bytes in the groups of a site, each of so many levels counted.
func (s *Sums) score(n Site, levels int) (score int64) {
	for l, held := range s.held[:min(levels, len(s.held))] {
		if group := n.Groups[l]; int(group) < len(held) {
			score += held[group]
		}
	}
	return score
}

// Weight gives an output its weight in a distance, from its bytes for the reduce.
type Weight func(bytes int64) int64

// Bytes weighs each output by its bytes: the weighted distance, WTND.
func Bytes(b int64) int64 { return b }

// Ones weighs all outputs alike: the distance TND.
func Ones(int64) int64 { return 1 }

// Distance is the total network distance of reduce r at a site, by definition: one map output that
// has something for it after the other. Slow: for questions, and as the oracle of Sums.Distance.
func (g *Outputs) Distance(r int32, at Site, weigh Weight) (sum int64) {
	for m := range g.outs {
		o := &g.outs[m]
		if int(r) < len(o.bytes) && o.bytes[r] > 0 {
			sum += Distance(at, o.at) * weigh(o.bytes[r])
		}
	}
	return sum
}

// Input is the bytes of reduce r at some sites, by definition, as Distance.
func (g *Outputs) Input(r int32, where func(at Site) bool) (sum int64) {
	for m := range g.outs {
		o := &g.outs[m]
		if int(r) < len(o.bytes) && where(o.at) {
			sum += o.bytes[r]
		}
	}
	return sum
}

// Distance is the number of links between two sites: up to what they share, and down again.
func Distance(a, b Site) int64 {
	for l := range a.Groups {
		if a.Groups[l] == b.Groups[l] {
			return 2 * int64(l)
		}
	}
	return 2 * int64(len(a.Groups))
}
