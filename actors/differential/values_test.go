package differential

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
)

// valueKind describes a value type to the tests: how to draw, show, copy and combine values.
type valueKind[V any] struct {
	name   string
	draw   func(r *rand.Rand, n int) V // n is a length, as in keyKind
	show   func(V) string
	clone  func(V) V               // nil: a value shares no memory that may change
	lend   func(s *scratch, v V) V // as in keyKind
	shapes []shape[V]
}

// shape is a Combine function. It must be associative and commutative, unless alike is set.
type shape[V any] struct {
	name   string
	fold   func(a, b V) V
	domain func(V) V // maps a drawn value to one for which fold is associative; nil: any value
	alike  bool      // the trial emits equal values for a key
	sum    bool      // Job.Sum is set instead of Combine
}

func (v valueKind[V]) copyOf(x V) V {
	if v.clone == nil {
		return x
	}
	return v.clone(x)
}

// the returns the shape with this name, or nil.
func (v valueKind[V]) the(name string) *shape[V] {
	i := slices.IndexFunc(v.shapes, func(s shape[V]) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return &v.shapes[i]
}

type number interface{ integer | ~float32 | ~float64 }

// zero is a variable, because the compiler would reduce a+b+0 to a plain addition.
var zero = func() int { return 0 }()

// numberShapes returns the Combine functions for numbers. "second" needs equal values for each key.
func numberShapes[N number]() []shape[N] {
	small := func(v N) N { return N(int64(uint64(math.Abs(float64(v))) % 64)) }
	add := func(a, b N) N { return a + b }
	return []shape[N]{
		{name: "add", fold: add},
		{name: "sum", fold: add, sum: true},
		{name: "nearly add", fold: func(a, b N) N { return a + b + N(zero) }},
		{name: "saturate", fold: func(a, b N) N { return min(a+b, 63) }, domain: small},
		{name: "max", fold: func(a, b N) N { return max(a, b) }},
		{name: "second", fold: func(_, b N) N { return b }, alike: true},
	}
}

func intValues[I integer](name string) valueKind[I] {
	return valueKind[I]{name: name, draw: drawInt[I], show: func(i I) string { return fmt.Sprint(i) }, shapes: numberShapes[I]()}
}

// floatValues returns a kind of float values that shows -0 and 0 differently.
func floatValues[F float32 | float64](name string) valueKind[F] {
	shapes := numberShapes[F]()
	for i := range shapes { // sums of 1e18 and halves are not exact
		if shapes[i].domain == nil {
			shapes[i].domain = func(v F) F { return max(min(v, 1000), -1000) }
		}
	}
	return valueKind[F]{name: name, draw: func(r *rand.Rand, n int) F { return F(drawFloat(r, n)) }, show: func(f F) string { return fmt.Sprint(f) }, shapes: shapes}
}

// longest compares texts by length, then by bytes.
func longest[S string | []byte](a, b S) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(string(a), string(b)))
}

func stringValues() valueKind[string] {
	return valueKind[string]{
		name: "string", draw: func(r *rand.Rand, n int) string { return string(text(r, n)) }, show: showText[string],
		shapes: []shape[string]{
			{name: "max", fold: func(a, b string) string { return max(a, b) }},
			{name: "longest", fold: func(a, b string) string { return pickLongest(a, b) }},
			{name: "concatenate", fold: func(a, b string) string { return a + b }, alike: true, domain: func(s string) string { return s[:min(len(s), 9)] }},
			{name: "prefix", fold: func(a, b string) string { return a[:common(a, b)] }},
			{name: "second", fold: func(_, b string) string { return b }, alike: true},
			{name: "fresh", fold: func(a, b string) string { return strings.Clone(pickLongest(a, b)) }},
		},
	}
}

func pickLongest[S string | []byte](a, b S) S {
	if longest(a, b) >= 0 {
		return a
	}
	return b
}

// common returns the length of the common prefix of two texts.
func common[S string | []byte](a, b S) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// raise sets each byte of a to the maximum of itself and the byte of b there, and returns a.
func raise(a, b []byte) []byte {
	for i := range a {
		a[i] = max(a[i], b[i])
	}
	return a
}

// mutate returns the maximum of a and b byte by byte. It changes the longer one in place.
func mutate(a, b []byte) []byte {
	if len(a) < len(b) {
		a, b = b, a
	}
	return append(raise(a[:len(b)], b), a[len(b):]...)
}

// union appends b to a, in place if there is room, and keeps each byte once.
func union(a, b []byte) []byte {
	a = append(a, b...)
	slices.Sort(a)
	return slices.Compact(a)
}

func byteValues() valueKind[[]byte] {
	shorten := func(b []byte) []byte { return b[:min(len(b), 9)] }
	return valueKind[[]byte]{
		name: "bytes", draw: text, show: showText[[]byte], clone: cloneBytes, lend: (*scratch).copyOf,
		shapes: []shape[[]byte]{
			{name: "max", fold: func(a, b []byte) []byte {
				if bytes.Compare(a, b) >= 0 {
					return a
				}
				return b
			}},
			{name: "longest", fold: pickLongest[[]byte]},
			{name: "concatenate", fold: func(a, b []byte) []byte { return append(a, b...) }, alike: true, domain: shorten},
			{name: "prefix", fold: func(a, b []byte) []byte {
				if len(a) < len(b) {
					return a[:common(a, b)]
				}
				return b[:common(a, b)]
			}},
			{name: "first", fold: func(a, _ []byte) []byte { return a }, alike: true},
			{name: "second", fold: func(_, b []byte) []byte { return b }, alike: true},
			{name: "mutate", fold: mutate},
			{name: "fresh", fold: func(a, b []byte) []byte { return mutate(bytes.Clone(a), bytes.Clone(b)) }},
			{name: "merge", fold: union, domain: union0},
			{name: "spoil", fold: func(a, b []byte) []byte { // both have 20 bytes
				a = raise(a, b)
				clear(b)
				return a
			}, domain: func(b []byte) []byte { return append(b, make([]byte, 20)...)[:20] }},
		},
	}
}

func cloneBytes(b []byte) []byte { return slices.Clip(bytes.Clone(b)) }

func union0(b []byte) []byte { return union(b, nil) }

func wordLists() valueKind[[]int64] {
	return valueKind[[]int64]{
		name: "[]int64",
		draw: func(r *rand.Rand, n int) []int64 {
			list := make([]int64, min(n, 200))
			for i := range list {
				list[i] = int64(r.IntN(100))
			}
			return list
		},
		show:  func(l []int64) string { return showText(fmt.Sprint(l)) },
		clone: slices.Clone[[]int64],
		lend: func(s *scratch, l []int64) []int64 {
			s.words = append(s.words, l...)
			return s.words[len(s.words)-len(l):]
		},
		shapes: []shape[[]int64]{
			{name: "mutate", fold: addLists},
			{name: "fresh", fold: func(a, b []int64) []int64 { return addLists(slices.Clone(a), slices.Clone(b)) }},
			{name: "concatenate", fold: func(a, b []int64) []int64 { return append(a, b...) }, alike: true, domain: func(l []int64) []int64 { return l[:min(len(l), 2)] }},
			{name: "longest", fold: func(a, b []int64) []int64 {
				if cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b)) >= 0 {
					return a
				}
				return b
			}},
		},
	}
}

// addLists adds the shorter list to the longer one, in place.
func addLists(a, b []int64) []int64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	for i := range b {
		a[i] += b[i]
	}
	return a
}

func textLists() valueKind[[]string] {
	return valueKind[[]string]{
		name: "[]string",
		draw: func(r *rand.Rand, n int) []string {
			list := []string{fmt.Sprint("tag", r.IntN(30)), string(text(r, min(n, 3)))}
			slices.Sort(list)
			return slices.Compact(list)
		},
		show:  func(l []string) string { return fmt.Sprintf("%q", l) },
		clone: slices.Clone[[]string],
		lend: func(s *scratch, l []string) []string {
			s.texts = append(s.texts, l...)
			return s.texts[len(s.texts)-len(l):]
		},
		shapes: []shape[[]string]{
			{name: "merge", fold: unite},
			{name: "fresh", fold: func(a, b []string) []string { return unite(slices.Clone(a), b) }},
		},
	}
}

func unite(a, b []string) []string {
	a = append(a, b...)
	slices.Sort(a)
	return slices.Compact(a)
}

// mean is a struct without pointers, with padding between its fields.
type mean struct {
	Sum   int64
	Small int8
	Count int32
}

func means() valueKind[mean] {
	return valueKind[mean]{
		name: "struct", draw: func(r *rand.Rand, n int) mean { return mean{drawInt[int64](r, n), int8(n), 1} },
		show: func(m mean) string { return fmt.Sprint(m) },
		shapes: []shape[mean]{
			{name: "merge", fold: func(a, b mean) mean { return mean{a.Sum + b.Sum, max(a.Small, b.Small), a.Count + b.Count} }},
			{name: "max", fold: func(a, b mean) mean {
				if cmp.Or(cmp.Compare(a.Sum, b.Sum), cmp.Compare(a.Small, b.Small), cmp.Compare(a.Count, b.Count)) >= 0 {
					return a
				}
				return b
			}},
		},
	}
}

// summary is a struct with a string, a byte slice and a slice of strings.
type summary struct {
	N    int64
	Text string
	Raw  []byte
	Tags []string
}

func summaries() valueKind[summary] {
	tags := textLists()
	clone := func(s summary) summary { return summary{s.N, s.Text, cloneBytes(s.Raw), slices.Clone(s.Tags)} }
	merge := func(a, b summary) summary {
		return summary{a.N + b.N, max(a.Text, b.Text), pickLongest(a.Raw, b.Raw), unite(a.Tags, b.Tags)}
	}
	return valueKind[summary]{
		name: "struct*",
		draw: func(r *rand.Rand, n int) summary {
			return summary{int64(r.IntN(9)), string(text(r, n/3)), text(r, n/2), tags.draw(r, n)}
		},
		show: func(s summary) string {
			return fmt.Sprintf("%d %s %s %q", s.N, showText(s.Text), showText(s.Raw), s.Tags)
		},
		clone: clone,
		lend: func(s *scratch, v summary) summary {
			return summary{v.N, v.Text, s.copyOf(v.Raw), tags.lend(s, v.Tags)}
		},
		shapes: []shape[summary]{
			{name: "merge", fold: merge},
			{name: "fresh", fold: func(a, b summary) summary { return merge(clone(a), clone(b)) }},
			{name: "second", fold: func(_, b summary) summary { return b }, alike: true},
		},
	}
}

func timeValues() valueKind[time.Time] {
	return valueKind[time.Time]{
		name: "time", draw: drawTime, show: showTime,
		shapes: []shape[time.Time]{{name: "max", fold: func(a, b time.Time) time.Time {
			if a.After(b) {
				return a
			}
			return b
		}}},
	}
}

// set marshals itself. Its UnmarshalBinary adds to the value, so that a reused value shows.
type set struct{ members []byte }

func (s set) MarshalBinary() ([]byte, error) { return s.members, nil }

func (s *set) UnmarshalBinary(b []byte) error {
	s.members = union(s.members, b)
	return nil
}

func sets() valueKind[set] {
	return valueKind[set]{
		name: "marshaled", draw: func(r *rand.Rand, n int) set { return set{[]byte{byte(r.IntN(200)), byte(200 + n%50)}} },
		show:  func(s set) string { return showText(s.members) },
		clone: func(s set) set { return set{cloneBytes(s.members)} },
		lend:  func(s *scratch, v set) set { return set{s.copyOf(v.members)} },
		shapes: []shape[set]{
			{name: "merge", fold: func(a, b set) set { return set{union(a.members, b.members)} }},
		},
	}
}

// bag is a struct in which one field marshals itself and another is a slice of numbers.
type bag struct {
	Set set
	N   []int32
}

func bags() valueKind[bag] {
	members := sets()
	return valueKind[bag]{
		name:  "bag",
		draw:  func(r *rand.Rand, n int) bag { return bag{members.draw(r, n), []int32{int32(n), int32(r.IntN(9))}} },
		show:  func(b bag) string { return showText(b.Set.members) + fmt.Sprint(b.N) },
		clone: func(b bag) bag { return bag{members.clone(b.Set), slices.Clone(b.N)} },
		lend:  func(s *scratch, b bag) bag { return bag{members.lend(s, b.Set), b.N} },
		shapes: []shape[bag]{{name: "merge", fold: func(a, b bag) bag { // changes a
			for i, n := range b.N {
				a.N[i] += n
			}
			return bag{set{union(a.Set.members, b.Set.members)}, a.N}
		}}},
	}
}

func stampedValues() valueKind[stamped] {
	k := stampeds()
	return valueKind[stamped]{
		name: "stamped", draw: k.draw, show: k.show,
		shapes: []shape[stamped]{{name: "max", fold: func(a, b stamped) stamped {
			if a.Before(b.Time) {
				a.Time = b.Time
			}
			return stamped{a.Time, a.N + b.N}
		}}},
	}
}

// empties returns a kind of values whose encoding has no bytes.
func empties[V any](name string) valueKind[V] {
	return valueKind[V]{
		name: name, draw: func(*rand.Rand, int) V { return *new(V) }, show: func(v V) string { return fmt.Sprint(v) },
		shapes: []shape[V]{{name: "first", fold: func(a, _ V) V { return a }}, {name: "second", fold: func(_, b V) V { return b }}},
	}
}

func noneValues() valueKind[mapreduce.None] { return empties[mapreduce.None]("none") }

func taggedValues() valueKind[tagged] {
	return valueKind[tagged]{
		name: "tagged", draw: func(r *rand.Rand, n int) tagged { return tagged{Text: string(text(r, n))} },
		show:   func(v tagged) string { return showText(v.Text) },
		shapes: []shape[tagged]{{name: "max", fold: func(a, b tagged) tagged { return tagged{Text: max(a.Text, b.Text)} }}},
	}
}
