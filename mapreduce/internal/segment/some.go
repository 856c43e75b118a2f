package segment

// Record is a key with a value.
type Record struct{ Key, Value []byte }

// Some sets list to the next records and returns how many, 0 at the end or after an error. They are
// valid until the next call of Some or Close and must not be changed. It replaces Next: a record in
// memory costs half as much.
func (m *Merge) Some(list []Record) int {
	if m.inMemory() {
		return m.sources[0].some(list)
	}
	key, value, ok := m.Next()
	if !ok {
		return 0
	}
	list[0] = Record{key, value}
	return 1
}

// inMemory reports whether the records after the head are in a single source, in memory.
func (m *Merge) inMemory() bool {
	return m.pending && m.err == nil && len(m.sources) == 1 && m.sources[0].file == nil
}

// some sets list to the next records, for a source in memory, and returns how many.
func (s *source) some(list []Record) int {
	n := 0
	for n < len(list) {
		if len(s.bundle) > 0 {
			list[n].Key = s.key
			list[n].Value, s.bundle = cutValue(s.bundle)
			n++
			continue
		}
		next := s.entries[:min(len(s.entries), len(list)-n)]
		if len(next) == 0 {
			break
		}
		k := s.plain(list[n:], next)
		s.entries, n = s.entries[k:], n+k
		if k < len(next) {
			e := &next[k]
			s.key, s.bundle = s.regions.key(e), s.regions.value(e)
			s.entries = s.entries[1:]
		}
	}
	s.touched = 0
	return n
}

// plain sets list to the records of entries up to the first bundle, and returns how many.
func (s *source) plain(list []Record, entries []entry) int {
	s.sum += s.regions.touch(entries)
	list = list[:len(entries)]
	for i := range entries {
		e := &entries[i]
		if e.klen == bundleKey {
			return i
		}
		b := s.regions[e.region]
		klen := uint32(e.klen)
		if klen == longKey {
			klen = uint32(s.regions.keyLen(e))
		}
		r := &list[i]
		r.Key = b[e.key : e.key+klen : e.key+klen]
		r.Value = b[e.value : e.value+e.vlen : e.value+e.vlen]
	}
	return len(entries)
}
