package gravity

// Center is the feeding node of reduce r with the greatest score, of several the least; false if
// nothing is known of r's input. It looks at every output and leaves the sums alone, for it answers
// questions: when those are asked must not show in decisions.
func (g *Outputs) Center(r int32, levels int) (center Site, ok bool) {
	held, sites := make([]int64, len(g.feeders)), make([]Site, len(g.feeders))
	near := make([]tally, levels) // from 1
	for m := range g.outs {
		o := &g.outs[m]
		if int(r) >= len(o.bytes) || o.bytes[r] == 0 {
			continue
		}
		i := g.of[o.at.Node] - 1
		held[i], sites[i] = held[i]+o.bytes[r], o.at
		for l := 1; l < levels && l < len(o.at.Groups); l++ {
			near[l].add(o.at.Groups[l], o.bytes[r])
		}
	}
	most := int64(0)
	for i, s := range held {
		if s == 0 {
			continue
		}
		at := sites[i]
		for l := 1; l < levels && l < len(at.Groups); l++ {
			s += near[l].of(at.Groups[l])
		}
		if !ok || s > most || s == most && at.Node < center.Node {
			center, most, ok = at, s, true
		}
	}
	return center, ok
}

// Weight gives an output its weight in a distance, from its bytes for the reduce.
type Weight func(bytes int64) int64

// Bytes weighs each output by its bytes: the weighted distance, WTND.
func Bytes(b int64) int64 { return b }

// Ones weighs all outputs alike: the distance TND.
func Ones(int64) int64 { return 1 }

// Distance is the total network distance of reduce r at a site, by definition: one map output that
// has something for it after the other. Slow: for questions, and as the oracle of Score.
func (g *Outputs) Distance(r int32, at Site, weigh Weight) (sum int64) {
	for m := range g.outs {
		o := &g.outs[m]
		if int(r) < len(o.bytes) && o.bytes[r] > 0 {
			sum += Distance(at, o.at) * weigh(o.bytes[r])
		}
	}
	return sum
}

// Distances is Distance of reduce r by bytes, for many sites: it goes through the outputs once.
func (g *Outputs) Distances(r int32) func(at Site) int64 {
	var total int64
	near := []tally{make(tally, len(g.of))} // by level; nodes are level 0
	for m := range g.outs {
		o := &g.outs[m]
		if int(r) >= len(o.bytes) || o.bytes[r] == 0 {
			continue
		}
		total += o.bytes[r]
		for l, group := range o.at.Groups {
			if l == len(near) {
				near = append(near, nil)
			}
			near[l].add(group, o.bytes[r])
		}
	}
	return func(at Site) int64 {
		far := int64(len(near)) * total
		for l := range near {
			far -= near[l].of(at.Groups[l])
		}
		return 2 * far
	}
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

// tally is bytes by group; groups beyond its end have none.
type tally []int64

func (t *tally) add(group int32, bytes int64) {
	if more := int(group) + 1 - len(*t); more > 0 {
		*t = append(*t, make([]int64, more)...)
	}
	(*t)[group] += bytes
}

func (t tally) of(group int32) int64 {
	if int(group) >= len(t) {
		return 0
	}
	return t[group]
}
