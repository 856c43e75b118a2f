package cluster

import "slices"

// fileCost is the cost of opening a file, as the number of bytes that a map reads meanwhile.
const fileCost = 16 << 10

// JoinSmall joins neighboring splits into one of up to limit bytes if they are whole files on the
// same nodes. It counts each file 16 KiB larger than it is. Otherwise ten thousand tiny files would
// be ten thousand maps. The order stays. Inputs that split files themselves, or want one map per
// file (WholeFiles, NLines), are not joined.
//
// Hadoop's CombineFileInputFormat does this only if a job asks for it, since a map may then notice
// the change of files; here each file has its own mapper.
func (b *Bound) JoinSmall(splits []Split, limit int64) []Split {
	joined := splits[:0:0]
	var cost, most int64 // cost of the files in the last split, and its limit
	for _, s := range splits {
		in, room := &b.Inputs[s.Source], limit
		if in.Size > 0 {
			room = min(room, in.Size)
		}
		whole := b.Sources[s.Source].Splittable() && s.Offset == 0 && s.Length == b.Sources[s.Source].Size() &&
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
	b.Maps = len(joined)
	return joined
}

// EachFile calls fn for each file of split s, with the part of s in it.
func (b *Bound) EachFile(s Split, fn func(file Split) error) error {
	if s.Files <= 1 {
		return fn(s)
	}
	for i := s.Source; i < s.Source+s.Files; i++ {
		if err := fn(Split{Source: i, Length: b.Sources[i].Size(), Hosts: s.Hosts}); err != nil {
			return err
		}
	}
	return nil
}
