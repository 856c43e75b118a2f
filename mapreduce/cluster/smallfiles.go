package cluster

import "slices"

// fileCost is what opening a file costs, as bytes that could be mapped instead.
const fileCost = 16 << 10

// JoinSmall makes one split of neighboring splits that are whole files on the same
// nodes, as long as they stay within limit bytes, each file counted 16 KiB larger
// than it is. Ten thousand tiny files would otherwise be ten thousand maps. The
// order stays; inputs that cut their files themselves, or want each for a map of
// its own (WholeFiles, NLines), stay as they are.
//
// Hadoop's CombineFileInputFormat does this where a job asks for it, since its map
// then sees one file turn into the next; here each file has a mapper of its own.
func (p *Plan) JoinSmall(splits []Split, limit int64) []Split {
	joined := splits[:0:0]
	var cost, most int64 // of the files joined last
	for _, s := range splits {
		in, room := &p.job.Inputs[s.Source], limit
		if in.Size > 0 {
			room = min(room, in.Size)
		}
		whole := p.job.Sources[s.Source].Splittable() && s.Offset == 0 && s.Length == p.job.Sources[s.Source].Size() &&
			!in.Whole && !in.Apart && in.Cut == nil
		price := s.Length + fileCost
		if n := len(joined) - 1; whole && n >= 0 && joined[n].Files > 0 && cost+price <= min(most, room) &&
			slices.Equal(joined[n].Hosts, s.Hosts) {
			joined[n].Files++
			joined[n].Length += s.Length
			cost, most = cost+price, min(most, room)
			continue
		}
		if cost, most = price, room; whole {
			s.Files = 1
		}
		joined = append(joined, s)
	}
	p.job.Maps = len(joined)
	return joined
}

// SmallFiles cuts the sources into runs of neighbors that JoinSmall would make one split of
// each if they lay on the same nodes, as splits without hosts. All other sources are alone.
func (p *Plan) SmallFiles(limit int64) []Split {
	list := make([]Split, len(p.job.Sources))
	for i, s := range p.job.Sources {
		list[i] = Split{Source: i, Length: s.Size()}
	}
	return p.JoinSmall(list, limit)
}

// EachFile calls fn with the part of a split that lies in each of its files.
func (p *Bound) EachFile(s Split, fn func(file Split) error) error {
	if s.Files <= 1 {
		return fn(s)
	}
	for i := s.Source; i < s.Source+s.Files; i++ {
		if err := fn(Split{Source: i, Length: p.Sources[i].Size(), Hosts: s.Hosts}); err != nil {
			return err
		}
	}
	return nil
}
