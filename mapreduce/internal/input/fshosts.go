package input

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tarry-mr/tarry/dfs/stores"
)

// Hosts returns where bytes of the file are, if its store knows (dfs.Located). An error of the
// store counts as unknown, since locations only save time.
func (f *fsFile) Hosts(off, n int64) []string {
	store, ok := f.fsys.(stores.Located)
	if !ok {
		return nil
	}
	f.askPlaces.Do(func() { f.places, _ = store.Places(f.name) })
	return hostsOf(f.places, off, n)
}

// hostsOf returns the hosts with at least half of the n bytes at off, in descending order of bytes.
func hostsOf(places []stores.Place, off, n int64) []string {
	held := map[string]int64{}
	for _, p := range places {
		if both := min(off+n, p.Offset+p.Length) - max(off, p.Offset); both > 0 {
			for _, host := range p.Hosts {
				held[host] += both
			}
		}
	}
	maps.DeleteFunc(held, func(_ string, bytes int64) bool { return 2*bytes < n })
	return slices.SortedFunc(maps.Keys(held), func(a, b string) int {
		return cmp.Or(cmp.Compare(held[b], held[a]), cmp.Compare(a, b))
	})
}
