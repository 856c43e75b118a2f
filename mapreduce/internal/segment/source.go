package segment

// source is one input of a merge: a sorted run, from a file or from memory. Its
// head is the record next in line.
type source struct {
	prefix  uint64 // of key
	key     []byte
	value   []byte
	ordinal uint32 // of the run the record came from: decides between equal keys
	state   state
	alone   bool // the only source: nobody asks for the prefix

	file    *blockReader // nil for the source of all entries in memory
	entries []entry
	regions regions
	owners  []uint32 // ordinal of each region's run
	bundle  []byte   // the values of the head's key that come next
	touched int      // of the entries that come next
	sum     byte     // keeps the loads of touch alive
}

// state of a source's head. A failed source wins every match, so that its error
// shows before any record that its missing ones would put in the wrong place.
type state uint8

const (
	live  state = iota
	large       // live, with a record larger than a block: key is only how its key begins
	done
	failed
)

// advance moves the head to the next record.
func (s *source) advance() {
	if s.file == nil {
		if len(s.bundle) > 0 {
			s.value, s.bundle = cutValue(s.bundle)
			return
		}
		if len(s.entries) == 0 {
			s.state = done
			return
		}
		if s.touched == 0 {
			s.touched = min(len(s.entries), touchAhead)
			s.sum += s.regions.touch(s.entries[:s.touched])
		}
		s.touched--
		e := &s.entries[0]
		s.entries = s.entries[1:]
		s.key, s.value, s.ordinal = s.regions.key(e), s.regions.value(e), s.owners[e.region]
		if e.klen == bundleKey {
			s.value, s.bundle = cutValue(s.value)
		}
		if !s.alone {
			s.prefix = prefixOf(s.key)
		}
		return
	}
	ordinal, key, value, ok := s.file.next()
	if !ok {
		s.state = done
		if s.file.err != nil {
			s.state = failed
		}
		return
	}
	s.prefix, s.key, s.value, s.state = prefixOf(key), key, value, live
	if s.file.left > 0 {
		s.state = large
	}
	if s.file.x.ordinals {
		s.ordinal = ordinal
	}
}

// size is the bytes of the head's key and value.
func (s *source) size() int64 {
	if s.state == large {
		return int64(s.file.keyLen + s.file.valueLen)
	}
	return int64(len(s.key) + len(s.value))
}
