package jobs

import "github.com/tarry-mr/tarry/mapreduce"

// MapsOnly returns a job that writes what the maps of j emit, keys and values in input order,
// neither sorted nor combined. It reads the same input as j.
func MapsOnly[I, K, V, O any](j mapreduce.Job[I, K, V, O]) mapreduce.MapOnly[I, mapreduce.Pair[K, V]] {
	only := mapreduce.MapOnly[I, mapreduce.Pair[K, V]]{Name: j.Name}
	if j.MapTask == nil {
		only.Map = paired(j.Map)
		return only
	}
	only.MapTask = func(t *mapreduce.Task) (mapreduce.Filter[I, mapreduce.Pair[K, V]], error) {
		m, err := j.MapTask(t)
		if err != nil {
			return mapreduce.Filter[I, mapreduce.Pair[K, V]]{}, err
		}
		f := mapreduce.Filter[I, mapreduce.Pair[K, V]]{Map: paired(m.Map)}
		if m.Close != nil {
			f.Close = func(emit func(mapreduce.Pair[K, V])) error {
				return m.Close(func(k K, v V) { emit(mapreduce.MakePair(k, v)) })
			}
		}
		return f, nil
	}
	return only
}

// paired returns map m for a MapOnly job: it emits each key and value as one Pair.
func paired[I, K, V any](m func(I, func(K, V)) error) func(I, func(mapreduce.Pair[K, V])) error {
	if m == nil {
		return nil
	}
	return func(in I, emit func(mapreduce.Pair[K, V])) error {
		return m(in, func(k K, v V) { emit(mapreduce.MakePair(k, v)) })
	}
}
