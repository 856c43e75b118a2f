package gen

import "math"

// rng generates random numbers by splitmix64, which is fast and accepts any seed.
type rng uint64

// newRng returns the generator of random numbers for one piece of the output of a seed.
func newRng(seed uint64, piece int64) *rng {
	r := rng(seed)
	r = rng(r.next() ^ uint64(piece)*0xD1B54A32D192ED03)
	return &r
}

// next returns 64 random bits.
func (r *rng) next() uint64 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB
	return z ^ (z >> 31)
}

// float returns a uniform number in [0, 1).
func (r *rng) float() float64 { return float64(r.next()>>11) / (1 << 53) }

// n returns a uniform number in [0, k), for k below 2^32.
func (r *rng) n(k int) int { return int((r.next() >> 32) * uint64(k) >> 32) }

// zipf draws ranks 0, 1, … with probability proportional to 1/(rank+1)^s, in constant time with
// Walker's alias method.
type zipf struct {
	prob  []float64 // by column: probability that a draw of column i returns i
	alias []int32   // by column: what a draw of column i returns otherwise
}

// newZipf returns a zipf that draws from n ranks with exponent s.
func newZipf(n int, s float64) *zipf {
	weight, sum := make([]float64, n), 0.0
	for i := range weight {
		weight[i] = math.Pow(float64(i+1), -s)
		sum += weight[i]
	}
	z := &zipf{prob: make([]float64, n), alias: make([]int32, n)}
	var small, large []int32
	for i := range weight {
		weight[i] *= float64(n) / sum
		if weight[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		a, b := small[len(small)-1], large[len(large)-1]
		small, large = small[:len(small)-1], large[:len(large)-1]
		z.prob[a], z.alias[a] = weight[a], b
		weight[b] -= 1 - weight[a]
		if weight[b] < 1 {
			small = append(small, b)
		} else {
			large = append(large, b)
		}
	}
	for _, i := range append(small, large...) {
		z.prob[i] = 1
	}
	return z
}

// draw returns a random rank.
func (z *zipf) draw(r *rng) int {
	i := r.n(len(z.prob))
	if r.float() >= z.prob[i] {
		return int(z.alias[i])
	}
	return i
}
