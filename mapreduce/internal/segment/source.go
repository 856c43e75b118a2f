package segment

// source is one input of a merge, a sorted run in a file or in memory, with its next record (head).
type source struct {
	prefix  uint64 // of key
	key     []byte
	value   []byte
	ordinal uint32 // of the record's run: decides between equal keys
	state   state

	file    *blockReader // nil for the source of all entries in memory
	entries []entry
	regions regions
	owners  []uint32 // by region: ordinal of its run
	bundle  []byte   // further values of the head's key
	touched int      // number of following entries that were prefetched
	sum     byte     // written by touch; an unused load would be dropped by the compiler
}

// state says what a source's next record is. A failed source wins every match, so that its error is
// reported before later records appear in a wrong place.
type state uint8

const (
	live  state = iota
	large       // live, with a record larger than a block: key is only the beginning of the key
	done
	failed
)

// advance makes the source's next record its head.
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
		s.prefix = prefixOf(s.key)
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
	if s.file.ordinals {
		s.ordinal = ordinal
	}
}
