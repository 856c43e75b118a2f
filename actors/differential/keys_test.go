package differential

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/crc32"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce"
)

// keyKind describes a key type to the tests: how to draw, compare, show and reuse keys.
type keyKind[K any] struct {
	name string
	// draw returns a random key of n bytes. For keys of fixed length it draws a small number if n
	// is even, and numbers far from each other if n is odd.
	draw   func(r *rand.Rand, n int) K
	fields []func(a, b K) int      // one comparison for each field, in order
	show   func(K) string          // a text that differs for different keys
	lend   func(s *scratch, k K) K // copies a key into reused memory; nil: no pointers
	whole  bool                    // the key has no fields, so the engine rejects GroupFields
}

func (k keyKind[K]) compare(a, b K, fields int) int {
	for _, f := range k.fields[:fields] {
		if c := f(a, b); c != 0 {
			return c
		}
	}
	return 0
}

// scratch is memory that a map overwrites with each emit.
type scratch struct {
	bytes []byte
	words []int64
	texts []string
}

func newScratch() *scratch {
	return &scratch{bytes: make([]byte, 0, 1<<15), words: make([]int64, 0, 1<<10), texts: make([]string, 0, 1<<8)}
}

// copyOf copies b into s. Like a reused buffer, the copy has a capacity beyond its length.
func (s *scratch) copyOf(b []byte) []byte {
	if b == nil {
		return nil
	}
	from := len(s.bytes)
	s.bytes = append(s.bytes, b...)
	return s.bytes[from:]
}

// spoil overwrites the memory of the last emit, so that an engine without its own copy fails.
func (s *scratch) spoil() {
	for i := range s.bytes {
		s.bytes[i] = 0xEE
	}
	for i := range s.words {
		s.words[i] = -0x11111111
	}
	for i := range s.texts {
		s.texts[i] = "spoiled"
	}
	s.bytes, s.words, s.texts = s.bytes[:0], s.words[:0], s.texts[:0]
}

// showText quotes a text and shortens a long one in its middle.
func showText[S string | []byte](s S) string {
	if len(s) <= 40 {
		return strconv.Quote(string(s))
	}
	return fmt.Sprintf("%q..%d bytes, crc %08x", s[:12], len(s), crc32.ChecksumIEEE([]byte(s)))
}

// text draws n bytes from four values, so that texts share prefixes and end with zeros.
func text(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = "ab\x00\xff"[r.IntN(4)]
	}
	return b
}

func scalar[K any](name string, draw func(*rand.Rand, int) K, compare func(a, b K) int, show func(K) string) keyKind[K] {
	return keyKind[K]{name: name, draw: draw, fields: []func(a, b K) int{compare}, show: show, whole: true}
}

func strs() keyKind[string] {
	return scalar("string", func(r *rand.Rand, n int) string { return string(text(r, n)) }, cmp.Compare[string], showText[string])
}

func byteKeys() keyKind[[]byte] {
	k := scalar("bytes", text, bytes.Compare, showText[[]byte])
	k.lend = (*scratch).copyOf
	return k
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

func drawInt[I integer](r *rand.Rand, n int) I {
	if n%2 == 0 {
		return I(r.IntN(4000) - 2000)
	}
	lowest := I(1) << (8*unsafe.Sizeof(I(0)) - 1)
	return []I{I(r.Uint64()), I(r.Uint64()), 0, 1, I(0) - 1, lowest, lowest - 1}[r.IntN(7)]
}

func intKeys[I integer](name string) keyKind[I] {
	return scalar(name, drawInt[I], cmp.Compare[I], func(i I) string { return fmt.Sprint(i) })
}

// drawFloat draws multiples of 0.5 near zero, whose sums are exact, or special values.
func drawFloat(r *rand.Rand, n int) float64 {
	if n%2 == 0 {
		return float64(r.IntN(400)-200) / 2
	}
	return []float64{0, math.Copysign(0, -1), 1, -0.5, math.Inf(1), 1e18}[r.IntN(6)]
}

// compareFloat orders floats as the engine does: NaN is the largest, and 0 equals -0.
func compareFloat[F float32 | float64](a, b F) int {
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

func floatKeys[F float32 | float64](name string) keyKind[F] {
	draw := func(r *rand.Rand, n int) F {
		if r.IntN(9) == 0 {
			return F(math.NaN())
		}
		return F(drawFloat(r, n))
	}
	return scalar(name, draw, compareFloat[F], func(f F) string { return fmt.Sprint(f + 0) })
}

func boolKeys() keyKind[bool] {
	order := map[bool]int{true: 1}
	return scalar("bool", func(r *rand.Rand, _ int) bool { return r.IntN(2) == 0 },
		func(a, b bool) int { return order[a] - order[b] }, strconv.FormatBool)
}

func drawTime(r *rand.Rand, n int) time.Time {
	at := time.Unix(int64(r.IntN(9))-4, int64(r.IntN(2)))
	if n%2 == 1 {
		at = time.Unix([]int64{-62135596800, 0, 1700000000, 253402300799}[r.IntN(4)], 999999999)
	}
	return at.In([]*time.Location{time.UTC, time.FixedZone("east", 7200)}[r.IntN(2)])
}

func showTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func timeKeys() keyKind[time.Time] { return scalar("time", drawTime, time.Time.Compare, showTime) }

func noneKeys() keyKind[mapreduce.None] {
	return scalar("none", func(*rand.Rand, int) mapreduce.None { return mapreduce.None{} },
		func(_, _ mapreduce.None) int { return 0 }, func(mapreduce.None) string { return "none" })
}

// label marshals itself. Its UnmarshalBinary appends to the value, so that a reused value shows.
type label struct{ text string }

func (l label) MarshalBinary() ([]byte, error) { return []byte(l.text), nil }

func (l *label) UnmarshalBinary(b []byte) error {
	l.text += string(b)
	return nil
}

func labels() keyKind[label] {
	return scalar("label", func(r *rand.Rand, n int) label { return label{string(text(r, n))} },
		func(a, b label) int { return cmp.Compare(a.text, b.text) }, func(l label) string { return showText(l.text) })
}

// version is a type of size zero whose encoding has two bytes.
type version struct{}

func (version) MarshalBinary() ([]byte, error) { return []byte("v1"), nil }

func (*version) UnmarshalBinary(b []byte) error {
	if string(b) != "v1" {
		return fmt.Errorf("a version is marshaled as v1, not %q", b)
	}
	return nil
}

func versions() keyKind[version] {
	return scalar("version", func(*rand.Rand, int) version { return version{} }, func(_, _ version) int { return 0 },
		func(version) string { return "v1" })
}

// visit is a key of mixed fields. Its encoding has at most 16 bytes if the text is short.
type visit struct {
	User string
	Day  int16
	page []byte
}

func visits() keyKind[visit] {
	return keyKind[visit]{
		name: "struct",
		draw: func(r *rand.Rand, n int) visit {
			return visit{string(text(r, n/2)), int16(r.IntN(3)) - 1, text(r, n-n/2)}
		},
		fields: []func(a, b visit) int{
			func(a, b visit) int { return cmp.Compare(a.User, b.User) },
			func(a, b visit) int { return cmp.Compare(a.Day, b.Day) },
			func(a, b visit) int { return bytes.Compare(a.page, b.page) },
		},
		show: func(v visit) string { return fmt.Sprint(showText(v.User), v.Day, showText(v.page)) },
		lend: func(s *scratch, v visit) visit { return visit{v.User, v.Day, s.copyOf(v.page)} },
	}
}

// tagged ends with a text and a field without bytes that marshals itself.
type tagged struct {
	Text string
	V    version
}

func taggeds() keyKind[tagged] {
	return keyKind[tagged]{
		name: "tagged", draw: func(r *rand.Rand, n int) tagged { return tagged{Text: string(text(r, n))} },
		fields: []func(a, b tagged) int{
			func(a, b tagged) int { return cmp.Compare(a.Text, b.Text) }, func(_, _ tagged) int { return 0 },
		},
		show: func(v tagged) string { return showText(v.Text) },
	}
}

// deep is a key whose fields are composites themselves.
type deep struct {
	In   mapreduce.Pair[[]byte, bool]
	List []string
	At   time.Time
	F    [2]float32
	Tail []byte
}

func deeps() keyKind[deep] {
	raw, flag, at, number := byteKeys(), boolKeys(), timeKeys(), floatKeys[float32]("float32")
	return keyKind[deep]{
		name: "deep",
		draw: func(r *rand.Rand, n int) deep {
			k := deep{In: mapreduce.MakePair(text(r, n/3), n%2 == 0), At: drawTime(r, n), Tail: text(r, n/3)}
			for range r.IntN(3) {
				k.List = append(k.List, string(text(r, n/9)))
			}
			k.F[r.IntN(2)] = number.draw(r, n)
			return k
		},
		fields: []func(a, b deep) int{
			func(a, b deep) int {
				return cmp.Or(raw.compare(a.In.First, b.In.First, 1), flag.compare(a.In.Second, b.In.Second, 1))
			},
			func(a, b deep) int { return slices.Compare(a.List, b.List) },
			func(a, b deep) int { return at.compare(a.At, b.At, 1) },
			func(a, b deep) int {
				return cmp.Or(number.compare(a.F[0], b.F[0], 1), number.compare(a.F[1], b.F[1], 1))
			},
			func(a, b deep) int { return bytes.Compare(a.Tail, b.Tail) },
		},
		show: func(k deep) string {
			return fmt.Sprintf("%q %t %q %s %s %s %q", k.In.First, k.In.Second, k.List, showTime(k.At), number.show(k.F[0]), number.show(k.F[1]), k.Tail)
		},
		lend: func(s *scratch, k deep) deep {
			k.In.First, k.Tail = s.copyOf(k.In.First), s.copyOf(k.Tail)
			return k
		},
	}
}

// stamped embeds a type that marshals itself. Its inherited methods would lose N.
type stamped struct {
	time.Time
	N int16
}

func stampeds() keyKind[stamped] {
	return keyKind[stamped]{
		name: "stamped", draw: func(r *rand.Rand, n int) stamped { return stamped{drawTime(r, n), int16(r.IntN(5) - 2)} },
		fields: []func(a, b stamped) int{
			func(a, b stamped) int { return a.Compare(b.Time) }, func(a, b stamped) int { return cmp.Compare(a.N, b.N) },
		},
		show: func(k stamped) string { return fmt.Sprint(showTime(k.Time), k.N) },
	}
}

func bigInts() keyKind[big.Int] {
	return scalar("big.Int", func(r *rand.Rand, n int) big.Int {
		x := big.NewInt(drawInt[int64](r, n))
		if n%3 == 0 {
			x.Mul(x, x)
			x.Neg(x)
		}
		return *x
	}, func(a, b big.Int) int { return a.Cmp(&b) }, func(x big.Int) string { return x.String() })
}

func addrs() keyKind[netip.Addr] {
	list := []netip.Addr{{}}
	for _, s := range []string{"10.0.0.1", "9.255.0.1", "::1", "fe80::1", "fe80::1%eth0", "::ffff:10.0.0.1"} {
		list = append(list, netip.MustParseAddr(s))
	}
	return scalar("address", func(r *rand.Rand, _ int) netip.Addr { return list[r.IntN(len(list))] }, netip.Addr.Compare, netip.Addr.String)
}

func pairKeys[A, B any](a keyKind[A], b keyKind[B]) keyKind[mapreduce.Pair[A, B]] {
	type pair = mapreduce.Pair[A, B]
	k := keyKind[pair]{
		name: "pair(" + a.name + "," + b.name + ")",
		draw: func(r *rand.Rand, n int) pair { return mapreduce.MakePair(a.draw(r, n/2), b.draw(r, n-n/2)) },
		fields: []func(x, y pair) int{
			func(x, y pair) int { return a.compare(x.First, y.First, 1) },
			func(x, y pair) int { return b.compare(x.Second, y.Second, 1) },
		},
		show: func(p pair) string { return a.show(p.First) + "," + b.show(p.Second) },
	}
	if a.lend != nil {
		k.lend = func(s *scratch, p pair) pair { return mapreduce.MakePair(a.lend(s, p.First), p.Second) }
	}
	return k
}

func arrayKeys() keyKind[[2]string] {
	return keyKind[[2]string]{
		name: "array",
		draw: func(r *rand.Rand, n int) [2]string { return [2]string{string(text(r, n/2)), string(text(r, n-n/2))} },
		fields: []func(a, b [2]string) int{
			func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) },
			func(a, b [2]string) int { return cmp.Compare(a[1], b[1]) },
		},
		show: func(k [2]string) string { return showText(k[0]) + "," + showText(k[1]) },
	}
}

func byteArrayKeys() keyKind[[5]byte] {
	return scalar("[5]byte", func(r *rand.Rand, _ int) [5]byte { return [5]byte(text(r, 5)) },
		func(a, b [5]byte) int { return bytes.Compare(a[:], b[:]) }, func(k [5]byte) string { return showText(k[:]) })
}
