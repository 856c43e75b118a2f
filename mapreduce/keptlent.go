package mapreduce

import "unsafe"

// Lent is k, whose inputs and feeds lend the slices of numbers in its records: a map is given them where
// they lie, as it is given byte slices, and no copies. They are valid until the map returns; who writes
// to one changes the records that are kept, and all that is made of them later. [Plan.Debug] and package
// mrtest find programs that write to them or keep them. Slices of fixed-size structs without gaps count
// as numbers; slices of strings and of slices are copied all the same. The records are those of k, and
// released with it.
func (k *Kept[T]) Lent() *Kept[T] {
	lent := *k
	lent.form.lent = true
	return &lent
}

// Lent is as [Kept.Lent].
func (k *KeptBy[K, T]) Lent() *KeptBy[K, T] {
	lent := *k
	lent.form.lent = true
	return &lent
}

// lends reports whether records have slices that are read where they lie.
func (f keptForm[T]) lends() bool { return f.lent && f.aligned }

// keeper is that of the codec, but copies also what is lent.
func (f keptForm[T]) keeper() func(rec T) T {
	if f.lends() {
		return f.codec.cloner()
	}
	return f.codec.keeper()
}

// lender is lenderOf for records of the form, of which it lends what reader does.
func (f keptForm[T]) lender(l *loans) func(rec T) T {
	lend := lenderOf[T](l)
	if !f.lends() {
		return lend
	}
	return func(rec T) T {
		rec = lend(rec)
		for i := range f.flat {
			if p := &f.flat[i]; p.kind == flatSlice {
				list := (*[]byte)(unsafe.Add(unsafe.Pointer(&rec), p.at)) // of another type, whose header this is
				if n := len(*list); n > 0 {
					lent := l.lend(unsafe.Slice(unsafe.SliceData(*list), n*int(p.size)))
					*list = unsafe.Slice(unsafe.SliceData(lent), n)
				}
			}
		}
		return rec
	}
}
