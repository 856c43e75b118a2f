package cluster

import "slices"

// fileCost is the cost of opening a file, expressed in bytes to map.
const fileCost = 16 << 10

// JoinSmall joins neighboring splits that are whole files on the same nodes into one split, up to
// limit bytes, counting each file 16 KiB larger than it is. Otherwise ten thousand tiny files would
// be ten thousand maps. The order stays; inputs that split their files themselves, or want one map
// per file (WholeFiles, NLines), are not joined.
//
// Hadoop's CombineFileInputFormat does this only if a job asks for it, since its map then sees one
// file turn into the next; here each file has its own mapper.
func (p *Plan) JoinSmall(splits []Split, limit int64) []Split {
	joined := splits[:0:0]
	var cost, most int64 // cost and its limit for the files joined last
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

// SmallFiles groups neighboring sources that JoinSmall would join if they were on the same nodes,
// as splits without hosts. Other sources form a group alone.
func (p *Plan) SmallFiles(limit int64) []Split {
	list := make([]Split, len(p.job.Sources))
	for i, s := range p.job.Sources {
		list[i] = Split{Source: i, Length: s.Size()}
	}
	return p.JoinSmall(list, limit)
}

// EachFile calls fn once for each file of s, with the part of s in that file.
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
