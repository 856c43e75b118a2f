package segment

// Record is a key with a value.
type Record struct {
	Key, Value []byte
	ordinal    uint32 // of the record's run, if entryReader.owners is set
}

// entryReader reads the records of sorted entries in memory.
type entryReader struct {
	entries []entry // unread
	regions regions
	owners  []uint32 // by region: ordinal of its run; may be nil
	current Record   // of the bundle that is being read
	bundle  []byte   // its unread values
	sum     byte     // written by touch; an unused load would be dropped by the compiler
}

// some sets list to the next records and returns how many, 0 at the end.
func (r *entryReader) some(list []Record) (n int) {
	for n < len(list) {
		if len(r.bundle) > 0 {
			r.current.Value, r.bundle = cutValue(r.bundle)
			list[n] = r.current
			n++
			continue
		}
		next := r.entries[:min(len(r.entries), len(list)-n)]
		if len(next) == 0 {
			break
		}
		k := r.plain(list[n:], next)
		n += k
		if k < len(next) {
			r.current, k = list[n], k+1
			r.bundle = r.current.Value
		}
		r.entries = r.entries[k:]
	}
	return n
}

// plain sets list to the records of entries up to the first bundle, and returns how many. The
// record after them has the bundle's key and all its values.
func (r *entryReader) plain(list []Record, entries []entry) int {
	r.sum += r.regions.touch(entries)
	list = list[:len(entries)]
	for i := range entries {
		e := &entries[i]
		b, klen := r.regions[e.region], uint32(e.klen)
		if klen >= bundleKey {
			klen = uint32(r.regions.keyLen(e))
		}
		x := &list[i]
		x.Key = b[e.key : e.key+klen : e.key+klen]
		x.Value = b[e.value : e.value+e.vlen : e.value+e.vlen]
		if r.owners != nil {
			x.ordinal = r.owners[e.region]
		}
		if e.klen == bundleKey {
			return i
		}
	}
	return len(entries)
}
