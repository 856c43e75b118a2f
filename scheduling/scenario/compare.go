package scenario

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tolerance is the maximum difference between equal numbers.
const tolerance = 0.01

// text returns the answer in the notation of a scenario's expectation: words, or "-" for none.
func (a answer) text() string {
	if len(a.words) == 0 {
		return "-"
	}
	return strings.Join(a.words, " ")
}

// holds reports whether the answer equals the words of an expectation; {"-"} means no answer.
func (a answer) holds(expected []string) bool {
	want := expected
	if len(want) == 1 && want[0] == "-" {
		want = nil
		if a.pairs {
			return len(a.words) == 0
		}
	}
	got := a.words
	switch {
	case a.pairs:
		return a.holdsPairs(want)
	case a.set:
		got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	}
	return slices.EqualFunc(got, want, sameValue)
}

// holdsPairs reports whether the answer has each NAME=VALUE of want; it may have others.
func (a answer) holdsPairs(want []string) bool {
	return !slices.ContainsFunc(want, func(e string) bool {
		same := func(g string) bool { return sameValue(g, e) }
		return !strings.Contains(e, "=") || !slices.ContainsFunc(a.words, same)
	})
}

// sameValue compares words: durations by value, numbers and pairs of them within the tolerance,
// other words exactly.
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	if n, v, ok := strings.Cut(a, "="); ok {
		m, u, ok := strings.Cut(b, "=")
		return ok && n == m && sameValue(v, u)
	}
	if x, y, ok := strings.Cut(a, "/"); ok {
		u, v, ok := strings.Cut(b, "/")
		return ok && sameValue(x, u) && sameValue(y, v)
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if err1 == nil && err2 == nil {
		return math.Abs(x-y) <= tolerance
	}
	s, err1 := time.ParseDuration(a)
	t, err2 := time.ParseDuration(b)
	return err1 == nil && err2 == nil && (s-t).Abs() <= time.Duration(tolerance*float64(time.Millisecond))
}
