package differential

import (
	"math/rand/v2"
	"sync/atomic"
)

// volume is the size of a trial: its numbers of records, emits and keys, and their lengths.
type volume struct {
	records int
	emits   int    // per record; -N: 0 to N at random
	keys    int    // approximate number of distinct keys
	lengths string // of keys and values: short, edges, long, bursts or huge
}

// edges are lengths in bytes around which the engine stores or copies data differently.
var edges = []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33}

// lengthAt draws the length of the i-th key or value; how is volume.lengths.
func lengthAt(r *rand.Rand, how string, i int) int {
	switch how {
	case "short":
		return r.IntN(17)
	case "edges":
		return edges[r.IntN(len(edges))]
	case "long":
		return 17 + r.IntN(200)
	case "huge":
		return []int{3, 9, 200, 255, 256, 257, 1100, 5000}[r.IntN(8)]
	default: // bursts: 70 short lengths, then 27 longer ones
		if i%97 < 70 {
			return edges[(i/97+i)%7]
		}
		return []int{200, 17, 5000, 33, 200, 200}[i%6] / (1 + i%2)
	}
}

func newTrial[K, V any](k keyKind[K], v valueKind[V], shape string, p plan) *trial[K, V] {
	return &trial[K, V]{keys: k, values: v, shape: v.the(shape), plan: p}
}

// fill draws the trial's records: the keys and values that the maps emit.
func (j *trial[K, V]) fill(r *rand.Rand, v volume) {
	keys := make([]K, v.keys)
	for i := range keys {
		keys[i] = j.keys.draw(r, lengthAt(r, v.lengths, i))
	}
	draw := func(i int) V {
		x := j.values.draw(r, lengthAt(r, v.lengths, i))
		if j.shape != nil && j.shape.domain != nil {
			x = j.shape.domain(x)
		}
		return x
	}
	n := 0
	j.records = make([][]pair[K, V], v.records)
	same := map[string]V{} // each key's only value, if the shape needs equal values
	for i := range j.records {
		emits := v.emits
		if emits < 0 {
			emits = r.IntN(1 - emits)
		}
		for range emits {
			k := keys[r.IntN(len(keys))]
			n++
			if j.shape == nil || !j.shape.alike {
				j.records[i] = append(j.records[i], pair[K, V]{k, draw(n)})
				continue
			}
			name := j.keys.show(k)
			if _, ok := same[name]; !ok {
				same[name] = draw(n)
			}
			j.records[i] = append(j.records[i], pair[K, V]{k, same[name]})
		}
	}
	j.ready(keys)
}

// ready sets spread and once, which depend on the keys and records. Call it after both are set.
func (j *trial[K, V]) ready(keys []K) {
	j.spread = keys[:min(len(keys), 20)]
	j.once = make([]*atomic.Int32, len(j.records))
	for i := range j.once {
		j.once[i] = new(atomic.Int32)
	}
}
