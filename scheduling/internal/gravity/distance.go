package gravity

import "math"

// Sums holds the locations of one reduce's known input. It reads every output and does not use the
// sums that Outputs keeps for decisions: views must not influence those. The zero value is ready
// for Sum.
type Sums struct {
	total     int64
	bytesHeld [Levels][]int64 // by level and group
	feeding   []Site          // nodes that have some of the input
}

// Sum sets s to the locations of the input of reduce r; it reuses the memory of s.
func (g *Outputs) Sum(r int32, s *Sums) {
	s.total, s.feeding = 0, s.feeding[:0]
	for l, row := range g.sums {
		s.bytesHeld[l] = append(s.bytesHeld[l][:0], make([]int64, len(row))...)
	}
	for m := range g.outs {
		o := &g.outs[m]
		b := at(o.bytes, r)
		if b == 0 {
			continue
		}
		if s.bytesHeld[0][o.at[0]] == 0 {
			s.feeding = append(s.feeding, o.at)
		}
		s.total += b
		for l := range s.bytesHeld {
			s.bytesHeld[l][o.at[l]] += b
		}
	}
}

// Center returns the feeding node with the highest score; of equal ones the lowest number. ok is
// false if no input is known.
func (s *Sums) Center(levels int) (center Site, ok bool) {
	most := int64(0)
	for _, n := range s.feeding {
		if score := s.score(n, levels); !ok || score > most || score == most && n[0] < center[0] {
			center, most, ok = n, score, true
		}
	}
	return center, ok
}

// Distance returns the weighted total network distance of the reduce at a site, in byte-hops.
func (s *Sums) Distance(at Site) int64 {
	return 2 * (Levels*s.total - s.score(at, Levels))
}

// Rack is the number of live nodes in a rack, with the site of one of them.
type Rack struct {
	Site
	Nodes int64
}

// Spread returns the minimum and the mean Distance of all live nodes. racks counts them; live
// reports whether a node is one. It visits the input's sites and the racks, not all nodes.
func (s *Sums) Spread(racks []Rack, live func(node int32) bool) (least, mean int64) {
	least, nodes, held := math.MaxInt64, int64(0), int64(0)
	for _, k := range racks {
		if k.Nodes > 0 {
			least = min(least, s.Distance(k.Site))
			nodes += k.Nodes
			held += k.Nodes * (s.score(k.Site, Levels) - at(s.bytesHeld[0], k.Site[0]))
		}
	}
	for _, n := range s.feeding {
		if live(n[0]) {
			least = min(least, s.Distance(n))
			held += s.bytesHeld[0][n[0]]
		}
	}
	return least, int64(float64(2*(Levels*s.total*nodes-held)) / float64(nodes))
}

// score returns the bytes in the site's groups, summed over the first `levels` levels.
func (s *Sums) score(n Site, levels int) (score int64) {
	for l, held := range s.bytesHeld[:levels] {
		score += at(held, n[l])
	}
	return score
}

// Weight returns the weight in a distance of an output with these bytes for the reduce.
type Weight func(bytes int64) int64

// Bytes weighs each output by its bytes, for the weighted distance WTND.
func Bytes(b int64) int64 { return b }

// Ones weighs all outputs equally, for the distance TND.
func Ones(int64) int64 { return 1 }

// Distance returns the total network distance of reduce r at a site by its definition: a sum over
// all map outputs. It is slow; views use it, and tests compare Sums.Distance with it.
func (g *Outputs) Distance(r int32, at Site, weigh Weight) (sum int64) {
	for m := range g.outs {
		o := &g.outs[m]
		if int(r) < len(o.bytes) && o.bytes[r] > 0 {
			sum += Distance(at, o.at) * weigh(o.bytes[r])
		}
	}
	return sum
}

// Input returns the bytes for reduce r at the sites for which `where` is true. It is slow.
func (g *Outputs) Input(r int32, where func(at Site) bool) (sum int64) {
	for m := range g.outs {
		o := &g.outs[m]
		if int(r) < len(o.bytes) && where(o.at) {
			sum += o.bytes[r]
		}
	}
	return sum
}

// Distance returns the number of links between two sites: up to their lowest common group and down.
func Distance(a, b Site) int64 {
	for l := range a {
		if a[l] == b[l] {
			return 2 * int64(l)
		}
	}
	return 2 * Levels
}
