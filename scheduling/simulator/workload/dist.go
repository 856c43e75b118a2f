package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Shape is a family of distributions.
type Shape uint8

// The families of distributions, with the meaning of Dist.A and Dist.B.
const (
	Fixed       Shape = iota // always A
	Exponential              // mean A
	Uniform                  // from A to B
	LogNormal                // median A, sigma B
	ZipfRank                 // 1, 2, … up to A with probability proportional to 1/k^B
)

// shapeNames are the names of the families of distributions in workload files, by Shape.
var shapeNames = [...]string{"fixed", "exponential", "uniform", "lognormal", "zipf"}

// Dist is a distribution of non-negative numbers.
type Dist struct {
	Shape Shape
	A, B  float64
}

// Sample draws one number.
func (d Dist) Sample(r *rand.Rand) float64 {
	switch d.Shape {
	case Exponential:
		return float64(d.A * r.ExpFloat64())
	case Uniform:
		return d.A + float64((d.B-d.A)*r.Float64())
	case LogNormal:
		return float64(d.A * math.Exp(float64(d.B*r.NormFloat64())))
	case ZipfRank:
		return sampleZipf(r, int(d.A), d.B)
	default:
		return d.A
	}
}

// sampleZipf draws a rank k from 1 to n with probability proportional to k^-slope, in time O(n).
func sampleZipf(r *rand.Rand, n int, slope float64) float64 {
	var sum float64
	for k := 1; k <= n; k++ {
		sum += math.Pow(float64(k), -slope)
	}
	x := float64(sum * r.Float64())
	for k := 1; k < n; k++ {
		if x -= math.Pow(float64(k), -slope); x < 0 {
			return float64(k)
		}
	}
	return float64(n)
}

// Span draws a duration from a distribution of seconds.
func (d Dist) Span(r *rand.Rand) time.Duration {
	return time.Duration(math.Round(min(d.Sample(r), MaxTime.Seconds())*1e6)) * time.Microsecond
}

// Count draws an integer, at most top.
func (d Dist) Count(r *rand.Rand, top int) int {
	return int(math.Round(min(d.Sample(r), float64(top))))
}

// ParseDist parses a distribution such as "14", "exponential 14s", "uniform 5 500", "lognormal 100
// 1.2" or "zipf 20 1". number parses A and, for uniform, B (ParseSeconds, parseCount, ParseBytes
// …); sigma and slope are plain numbers.
func ParseDist(s string, number func(string) (float64, error)) (Dist, error) {
	words := strings.Fields(s)
	if len(words) == 1 {
		words = []string{"fixed", words[0]}
	}
	if len(words) == 0 {
		return Dist{}, fmt.Errorf("empty distribution")
	}
	shape := slices.Index(shapeNames[:], words[0])
	if shape < 0 {
		return Dist{}, fmt.Errorf("unknown distribution %.40q (have %s)", words[0], strings.Join(shapeNames[:], ", "))
	}
	want, second := 3, number
	switch Shape(shape) {
	case Fixed, Exponential:
		want = 2
	case LogNormal, ZipfRank:
		second = func(s string) (float64, error) { return ParsePlain(s, 20) }
	case Uniform:
	}
	if len(words) != want {
		return Dist{}, fmt.Errorf("%s takes %d numbers, not %d", words[0], want-1, len(words)-1)
	}
	d := Dist{Shape: Shape(shape)}
	var err error
	if d.A, err = number(words[1]); err == nil && want == 3 {
		d.B, err = second(words[2])
	}
	switch {
	case err != nil:
		return Dist{}, err
	case d.Shape == Uniform && d.B < d.A:
		return Dist{}, fmt.Errorf("uniform from %v down to %v", d.A, d.B)
	case d.Shape == ZipfRank && (d.A < 1 || d.A > 1e6):
		return Dist{}, fmt.Errorf("zipf over %v ranks, want 1 to 1e6", d.A)
	}
	return d, nil
}

// ParsePlain parses a number from 0 to top.
func ParsePlain(s string, top float64) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a number", s)
	}
	if !(f >= 0 && f <= top) {
		return 0, fmt.Errorf("%.40s is not between 0 and %v", s, top)
	}
	return f, nil
}

// parseCount parses a number of tasks, 0 to maxTasks.
func parseCount(s string) (float64, error) { return ParsePlain(s, maxTasks) }

// ParseSeconds parses "90", "90s", "1m30s" or "250ms" as seconds, 0 to MaxTime.
func ParseSeconds(s string) (float64, error) {
	if d, err := time.ParseDuration(s); err == nil {
		if d < 0 || d > MaxTime {
			return 0, fmt.Errorf("%.40s is not between 0 and %v", s, MaxTime)
		}
		return d.Seconds(), nil
	}
	f, err := ParsePlain(s, MaxTime.Seconds())
	if err != nil {
		return 0, fmt.Errorf("%w (a time is written 90s, 1m30s or 250ms)", err)
	}
	return f, nil
}

// ParseBytes parses "4096", "64KiB", "1.5 GB" or "128MiB" as bytes, 0 to MaxBytes. KiB, MiB, GiB,
// TiB, PiB and the single letters are powers of 1,024; KB, MB, GB, TB and PB are powers of 1,000.
// Case is ignored.
func ParseBytes(s string) (float64, error) {
	text := strings.ToUpper(strings.TrimSpace(s))
	base := 1024.0
	switch {
	case strings.HasSuffix(text, "IB"):
		text = text[:len(text)-2]
	case strings.HasSuffix(text, "B"):
		text = text[:len(text)-1]
		base = 1000
	}
	unit := 1.0
	if n := len(text); n > 0 {
		if i := strings.IndexByte("KMGTP", text[n-1]); i >= 0 {
			unit, text = math.Pow(base, float64(i+1)), text[:n-1]
		}
	}
	f, err := ParsePlain(strings.TrimSpace(text), float64(MaxBytes)/unit)
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a size between 0 and 1 EiB: %w", s, err)
	}
	return math.Round(f * unit), nil
}
