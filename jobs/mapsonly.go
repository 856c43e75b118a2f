package jobs

import "github.com/tarry-mr/tarry/mapreduce"

// MapsOnly returns a job that writes what the maps of j emit, keys and values in input order,
// neither sorted nor combined. It reads the same input as j.
func MapsOnly[I, K, V, O any](j mapreduce.Job[I, K, V, O]) mapreduce.MapOnly[I, mapreduce.Pair[K, V]] {
	task := func(t *mapreduce.Task) (f mapreduce.Filter[I, mapreduce.Pair[K, V]], err error) {
		m := mapreduce.Mapper[I, K, V]{Map: j.Map}
		if j.MapTask != nil {
			m, err = j.MapTask(t)
		}
		if err != nil || m.Map == nil {
			return f, err
		}
		f.Map = func(in I, emit func(mapreduce.Pair[K, V])) error {
			return m.Map(in, func(k K, v V) { emit(mapreduce.MakePair(k, v)) })
		}
		if m.Close != nil {
			f.Close = func(emit func(mapreduce.Pair[K, V])) error {
				return m.Close(func(k K, v V) { emit(mapreduce.MakePair(k, v)) })
			}
		}
		return f, nil
	}
	return mapreduce.MapOnly[I, mapreduce.Pair[K, V]]{Name: j.Name, MapTask: task}
}
