package actors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
)

// keyKind is a key type of random jobs: how to draw, compare and print its values.
type keyKind[K any] struct {
	draw func(*rand.Rand) K
	// fields compare one field of the key each, in their order. A key without fields has one
	// function.
	fields  []func(a, b K) int
	grouped bool // GroupFields may be used
	show    func(K) string
}

func (k keyKind[K]) compare(a, b K, n int) int {
	for _, f := range k.fields[:n] {
		if c := f(a, b); c != 0 {
			return c
		}
	}
	return 0
}

// scalar returns the kind of a key type that has no fields.
func scalar[K any](draw func(*rand.Rand) K, compare func(a, b K) int) keyKind[K] {
	return keyKind[K]{draw: draw, fields: []func(a, b K) int{compare}, show: func(k K) string { return fmt.Sprint(k) }}
}

// by returns a function that compares keys by the part of them that part returns.
func by[K, F any](part func(K) F, compare func(a, b F) int) func(a, b K) int {
	return func(a, b K) int { return compare(part(a), part(b)) }
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// text draws strings of which some are prefixes of others, perhaps with bytes 0, 1 or 255.
func text(r *rand.Rand) string {
	return pick(r, "ann", "anna", "annabel", "", "b", "x") + pick(r, "", "", "\x00", "\x00\x01", "\x01", "\xff", "a long name with more than 16 bytes")
}

func shortText(r *rand.Rand) string { return pick(r, "", "ann", "anna", "b", "b\x00", "\xff") }

func float(r *rand.Rand) float64 {
	return pick(r, 0, math.Copysign(0, -1), 1, -1, 2.5, math.Inf(1), math.Inf(-1),
		math.NaN(), math.Float64frombits(0xfff8000000000001), math.SmallestNonzeroFloat64)
}

// compareFloat orders floats as the engine does: NaN is the largest, and 0 equals -0.
func compareFloat(a, b float64) int {
	switch {
	case a != a && b != b:
		return 0
	case a != a:
		return 1
	case b != b:
		return -1
	default:
		return cmp.Compare(a, b)
	}
}

func showFloat(f float64) string {
	if f == 0 {
		f = 0
	}
	return fmt.Sprint(f)
}

// instant draws a time from a few instants and zones, so that equal instants have several zones.
func instant(r *rand.Rand) time.Time {
	at := time.Unix(pick[int64](r, 0, -1, 1, 1700000000, -62135596800, -99999999999), pick[int64](r, 0, 1, 999999999))
	return at.In(pick(r, time.UTC, time.FixedZone("east", 7200), time.FixedZone("west", -30*60)))
}

func showTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func bigInt(r *rand.Rand) big.Int {
	x := big.NewInt(pick[int64](r, 0, 1, -1, 255, 256, -255, -256, math.MaxInt64, math.MinInt64))
	if r.IntN(3) == 0 {
		x.Mul(x, x)
		x.Neg(x)
	}
	return *x
}

func addr(r *rand.Rand) netip.Addr {
	return pick(r, netip.Addr{}, netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("9.255.0.1"), netip.MustParseAddr("::1"),
		netip.MustParseAddr("fe80::1"), netip.MustParseAddr("fe80::1%eth0"), netip.MustParseAddr("::ffff:10.0.0.1"))
}

type three struct {
	A string
	B int8
	c []byte
}

type deep struct {
	In   mapreduce.Pair[[]byte, bool]
	List []string
	At   time.Time
	F    [2]float32
	Tail []byte
}

// stamped embeds a type that marshals itself. Its inherited methods would lose N.
type stamped struct {
	time.Time
	N int16
}

// label marshals itself. Its UnmarshalBinary appends to the value, so that a reused value shows.
type label struct{ text string }

func (l label) MarshalBinary() ([]byte, error) { return []byte(l.text), nil }

func (l *label) UnmarshalBinary(b []byte) error {
	l.text += string(b)
	return nil
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

func threes() keyKind[three] {
	return keyKind[three]{
		draw: func(r *rand.Rand) three { return three{shortText(r), int8(r.IntN(5) - 2), []byte(shortText(r))} },
		fields: []func(a, b three) int{
			by(func(k three) string { return k.A }, cmp.Compare[string]),
			by(func(k three) int8 { return k.B }, cmp.Compare[int8]),
			by(func(k three) []byte { return k.c }, bytes.Compare),
		},
		grouped: true,
		show:    func(k three) string { return fmt.Sprintf("%q %d %q", k.A, k.B, k.c) },
	}
}

func deeps() keyKind[deep] {
	draw := func(r *rand.Rand) deep {
		k := deep{In: mapreduce.MakePair([]byte(shortText(r)), r.IntN(2) == 0), At: instant(r), Tail: []byte(shortText(r))}
		for range r.IntN(3) {
			k.List = append(k.List, shortText(r))
		}
		k.F[r.IntN(2)] = float32(float(r))
		return k
	}
	show := func(k deep) string {
		return fmt.Sprintf("%q %t %q %s %s %s %q", k.In.First, k.In.Second, k.List, showTime(k.At),
			showFloat(float64(k.F[0])), showFloat(float64(k.F[1])), k.Tail)
	}
	return keyKind[deep]{draw: draw, show: show, grouped: true, fields: []func(a, b deep) int{
		func(a, b deep) int {
			return cmp.Or(bytes.Compare(a.In.First, b.In.First), compareBool(a.In.Second, b.In.Second))
		},
		by(func(k deep) []string { return k.List }, slices.Compare[[]string]),
		by(func(k deep) time.Time { return k.At }, time.Time.Compare),
		func(a, b deep) int {
			return cmp.Or(compareFloat(float64(a.F[0]), float64(b.F[0])), compareFloat(float64(a.F[1]), float64(b.F[1])))
		},
		by(func(k deep) []byte { return k.Tail }, bytes.Compare),
	}}
}

func stampeds() keyKind[stamped] {
	return keyKind[stamped]{
		draw: func(r *rand.Rand) stamped { return stamped{instant(r), int16(r.IntN(5) - 2)} },
		fields: []func(a, b stamped) int{
			by(func(k stamped) time.Time { return k.Time }, time.Time.Compare),
			by(func(k stamped) int16 { return k.N }, cmp.Compare[int16]),
		},
		grouped: true,
		show:    func(k stamped) string { return fmt.Sprint(showTime(k.Time), k.N) },
	}
}

// pairs returns the kind of keys that are pairs of two other keys; the pair's fields are these.
func pairs[A, B any](a keyKind[A], b keyKind[B]) keyKind[mapreduce.Pair[A, B]] {
	type key = mapreduce.Pair[A, B]
	return keyKind[key]{
		draw: func(r *rand.Rand) key { return mapreduce.MakePair(a.draw(r), b.draw(r)) },
		fields: []func(x, y key) int{
			by(func(k key) A { return k.First }, a.fields[0]), by(func(k key) B { return k.Second }, b.fields[0]),
		},
		grouped: true,
		show:    func(k key) string { return a.show(k.First) + " " + b.show(k.Second) },
	}
}

func strs() keyKind[string] {
	k := scalar(text, cmp.Compare[string])
	k.show = strconv.Quote
	return k
}

func byteSlices() keyKind[[]byte] {
	k := scalar(func(r *rand.Rand) []byte { return []byte(text(r)) }, bytes.Compare)
	k.show = func(b []byte) string { return strconv.Quote(string(b)) }
	return k
}

func ints[I int8 | int32 | int64 | uint16 | uint64]() keyKind[I] {
	return scalar(func(r *rand.Rand) I {
		top := I(1) << (binary.Size(I(0))*8 - 1)
		return pick(r, 0, 1, 2, 3, 100, I(0)-1, top, top-1)
	}, cmp.Compare[I])
}

func floats() keyKind[float64] {
	k := scalar(float, compareFloat)
	k.show = showFloat
	return k
}

func instants() keyKind[time.Time] {
	k := scalar(instant, time.Time.Compare)
	k.show = showTime
	return k
}

func bigInts() keyKind[big.Int] {
	k := scalar(bigInt, func(a, b big.Int) int { return a.Cmp(&b) })
	k.show = func(x big.Int) string { return x.String() }
	return k
}

func labels() keyKind[label] {
	k := scalar(func(r *rand.Rand) label { return label{text(r)} }, by(func(l label) string { return l.text }, cmp.Compare[string]))
	k.show = func(l label) string { return strconv.Quote(l.text) }
	return k
}

func arrays() keyKind[[2]string] {
	return keyKind[[2]string]{
		draw: func(r *rand.Rand) [2]string { return [2]string{shortText(r), shortText(r)} },
		fields: []func(a, b [2]string) int{
			by(func(k [2]string) string { return k[0] }, cmp.Compare[string]),
			by(func(k [2]string) string { return k[1] }, cmp.Compare[string]),
		},
		grouped: true,
		show:    func(k [2]string) string { return fmt.Sprintf("%q", k) },
	}
}

// valueKind is a value type of random jobs. Its fold is associative and commutative.
type valueKind[V any] struct {
	draw func(*rand.Rand) V
	fold func(a, b V) V
	sum  bool // fold is +
	show func(V) string
}

func numbers() valueKind[int64] {
	return valueKind[int64]{
		draw: func(r *rand.Rand) int64 { return int64(r.IntN(100)) - 50 },
		fold: func(a, b int64) int64 { return a + b }, sum: true,
		show: func(v int64) string { return fmt.Sprint(v) },
	}
}

func longest() valueKind[string] {
	return valueKind[string]{draw: text, fold: func(a, b string) string { return max(a, b) }, show: func(v string) string { return fmt.Sprintf("%q", v) }}
}

// set is a set of small numbers that marshals itself as a bitmap does: its UnmarshalBinary adds
// what it reads to its current value, and union changes it.
type set struct{ members []uint16 }

func (s set) MarshalBinary() ([]byte, error) {
	var b []byte
	for _, m := range s.members {
		b = binary.BigEndian.AppendUint16(b, m)
	}
	return b, nil
}

func (s *set) UnmarshalBinary(b []byte) error {
	if len(b)%2 != 0 {
		return errors.New("odd")
	}
	for ; len(b) > 0; b = b[2:] {
		s.add(binary.BigEndian.Uint16(b))
	}
	return nil
}

func (s *set) add(m uint16) {
	if i, found := slices.BinarySearch(s.members, m); !found {
		s.members = slices.Insert(s.members, i, m)
	}
}

// counts is a value with slices. It counts tags, so that a value that was folded twice shows.
type counts struct {
	Tags []string
	N    []int32
	Set  set
}

func bags() valueKind[counts] {
	return valueKind[counts]{
		draw: func(r *rand.Rand) counts {
			c := counts{N: make([]int32, 3), Set: set{[]uint16{uint16(r.IntN(40))}}}
			c.N[r.IntN(3)] = int32(r.IntN(9))
			if r.IntN(2) == 0 {
				c.Tags = append(c.Tags, shortText(r))
			}
			return c
		},
		fold: func(a, b counts) counts { // changes a
			for i, n := range b.N {
				a.N[i] += n
			}
			for _, m := range b.Set.members {
				a.Set.add(m)
			}
			a.Tags = append(a.Tags, b.Tags...)
			slices.Sort(a.Tags)
			return a
		},
		show: func(c counts) string { return fmt.Sprintf("%v %q %v", c.N, strings.Join(c.Tags, "|"), c.Set.members) },
	}
}

func sets() valueKind[set] {
	return valueKind[set]{
		draw: func(r *rand.Rand) set { return set{[]uint16{uint16(r.IntN(1000))}} },
		fold: func(a, b set) set {
			for _, m := range b.members {
				a.add(m)
			}
			return a
		},
		show: func(s set) string { return fmt.Sprint(s.members) },
	}
}

func times() valueKind[stamped] {
	return valueKind[stamped]{
		draw: func(r *rand.Rand) stamped { return stamped{instant(r), int16(r.IntN(100))} },
		fold: func(a, b stamped) stamped {
			if a.Time.Before(b.Time) {
				a.Time = b.Time.UTC()
			}
			return stamped{a.Time.UTC(), a.N + b.N}
		},
		show: func(s stamped) string { return fmt.Sprint(showTime(s.Time), s.N) },
	}
}
