package watch

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/alike"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Combine replaces the Combine at pointer f, a func(V, V) V, by one that panics if it breaks a law.
// Floats may differ by the fraction `within` of the larger one.
func Combine(f any, value codec.Placed, within float64) {
	c := &combineCheck{value: value, within: within}
	place := reflect.ValueOf(f).Elem()
	c.f = reflect.ValueOf(place.Interface())
	place.Set(reflect.MakeFunc(place.Type(), func(args []reflect.Value) []reflect.Value {
		return []reflect.Value{c.combine(args[0], args[1])}
	}))
}

// combinedKept is how many of the latest results are used to test associativity.
const combinedKept = 64

// combineCheck tests whether a Combine is deterministic, commutative and associative. It keeps
// values encoded, because Combine may modify its arguments.
type combineCheck struct {
	mu     sync.Mutex
	f      reflect.Value
	within float64
	value  codec.Placed
	// results are the latest results of f with their arguments. If one becomes an argument, three
	// values of a key are known, to test associativity with.
	results [combinedKept]struct{ a, b, result []byte }
	next    int
}

// combine returns f(a, b), and panics if f breaks a law with these values.
func (c *combineCheck) combine(a, b reflect.Value) reflect.Value {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, y := codec.Encoding(c.value, a), codec.Encoding(c.value, b)
	result := c.f.Call([]reflect.Value{a, b})[0]
	r := codec.Encoding(c.value, result)
	c.law(r, c.apply(x, y), "Combine is no function of its arguments", "Combine(%s, %s) gave %s, then %s", x, y)
	c.law(r, c.apply(y, x), "Combine is not commutative",
		"with a = %s and b = %s, Combine(a, b) is %s, Combine(b, a) is %s", x, y)
	for _, k := range c.results {
		if k.result != nil && bytes.Equal(k.result, x) {
			c.law(r, c.apply(k.a, c.apply(k.b, y)), "Combine is not associative",
				"with a = %s, b = %s and c = %s, Combine(Combine(a, b), c) is %s, Combine(a, Combine(b, c)) is %s",
				k.a, k.b, y)
			break
		}
	}
	c.results[c.next] = struct{ a, b, result []byte }{x, y, r}
	c.next = (c.next + 1) % combinedKept
	return result
}

// apply returns f(a, b), where arguments and result are encoded.
func (c *combineCheck) apply(a, b []byte) []byte {
	args := []reflect.Value{c.decoded(a), c.decoded(b)}
	return codec.Encoding(c.value, c.f.Call(args)[0])
}

// decoded returns the value that b encodes. It decodes a copy, since f may modify the value.
func (c *combineCheck) decoded(b []byte) reflect.Value {
	v, err := codec.Decoded(c.value, bytes.Clone(b))
	if err != nil {
		fault.Throw(err)
	}
	return v
}

// law panics unless the encoded results one and other are equal; shown led to them.
func (c *combineCheck) law(one, other []byte, what, how string, shown ...[]byte) {
	if bytes.Equal(one, other) || alike.Equal(c.decoded(one).Interface(), c.decoded(other).Interface(), c.within) {
		return
	}
	var list []any
	for _, x := range append(shown, one, other) {
		list = append(list, fault.ValueText(c.decoded(x).Interface()))
	}
	fault.Throw(fault.Permanent(fmt.Errorf("mapreduce: %s: "+how, append([]any{what}, list...)...)))
}
