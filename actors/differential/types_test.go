package differential

import (
	"math/rand/v2"
)

// types is a pair of key and value types, for which the compiler instantiates the engine.
type types struct {
	name   string
	fields int // number of fields of a key; with 1 the engine rejects GroupFields
	shapes []string
	passes bool // the job may have no Reduce
	newJob func(r *rand.Rand, v volume, shape string, p plan) job
}

// of returns a pair of key and value types whose jobs always have a Reduce.
func of[K, V any](k keyKind[K], v valueKind[V]) types {
	t := types{name: k.name + "/" + v.name, fields: len(k.fields)}
	for _, s := range v.shapes {
		t.shapes = append(t.shapes, s.name)
	}
	t.newJob = func(r *rand.Rand, vol volume, shape string, p plan) job {
		j := newTrial(k, v, shape, p)
		j.fill(r, vol)
		return job{records: len(j.records), want: j.want, bind: j.reducing}
	}
	return t
}

// passing returns the types of of(k, v), whose jobs may also have no Reduce.
func passing[K, V any](k keyKind[K], v valueKind[V]) types {
	t := of(k, v)
	t.passes = true
	t.newJob = func(r *rand.Rand, vol volume, shape string, p plan) job {
		j := newTrial(k, v, shape, p)
		j.fill(r, vol)
		return job{records: len(j.records), want: j.want, bind: j.reducing, pass: j.passing}
	}
	return t
}
