package segment

// source is one input of a merge, a sorted run in a file or in memory, with its next record (head).
type source struct {
	prefix  uint64 // of key
	key     []byte
	value   []byte
	ordinal uint32 // of the record's run: decides between equal keys
	state   state

	file   *blockReader // nil for the source of all entries in memory
	memory entryReader
	read   [touchAhead]Record // of memory, read ahead
	at, n  int                // index of the next one in read, and their number
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
		if s.at == s.n {
			s.at, s.n = 0, s.memory.some(s.read[:])
		}
		if s.n == 0 {
			s.state = done
			return
		}
		r := &s.read[s.at]
		s.at++
		s.prefix, s.key, s.value, s.ordinal = prefixOf(r.Key), r.Key, r.Value, r.ordinal
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
