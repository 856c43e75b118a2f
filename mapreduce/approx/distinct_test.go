package approx

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/mrtest"
)

type visit struct{ page, user int }

func page(v visit) int { return v.page }
func user(v visit) int { return v.user }

// counts runs a job that counts per key, and returns the counts by key.
func counts(t testing.TB, bind func(mapreduce.Output[mapreduce.Pair[int, int64]]) (*mapreduce.Plan, error)) map[int]int64 {
	t.Helper()
	var out mapreduce.Collected[mapreduce.Pair[int, int64]]
	p, err := bind(out.Output())
	require.NoError(t, err)
	_, err = mapreduce.RunLocal(t.Context(), p, mapreduce.LocalOptions{Reduces: 3})
	require.NoError(t, err)
	list, err := out.Records()
	require.NoError(t, err)
	found := map[int]int64{}
	for _, c := range list {
		require.NotContains(t, found, c.First)
		found[c.First] = c.Second
	}
	return found
}

// Over many keys, the root mean square of the relative errors is at most StandardError, and no
// error exceeds five times that.
func TestErrorIsAsStated(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	var visits []visit
	for p := range 40 {
		users := 400 << (p % 4)
		for u := range users {
			visits = append(visits, visit{p, u * 3})
			if random.IntN(3) == 0 {
				visits = append(visits, visit{p, random.IntN(users) * 3})
			}
		}
	}
	random.Shuffle(len(visits), func(i, j int) { visits[i], visits[j] = visits[j], visits[i] })
	in := mapreduce.Slice(visits)
	exact := counts(t, mapreduce.CountDistinct(page, user).Over(in))
	for _, precision := range []int{7, 10} {
		sum, keys := 0.0, 0
		for p, n := range counts(t, CountDistinct(precision, page, user).Over(in)) {
			e := float64(n-exact[p]) / float64(exact[p])
			require.Less(t, math.Abs(e), 5*StandardError(precision))
			sum += e * e
			keys++
		}
		require.Len(t, exact, keys)
		rms := math.Sqrt(sum / float64(keys))
		require.Less(t, rms, 1.2*StandardError(precision))
		require.Greater(t, rms, 0.3*StandardError(precision), "an estimate cannot be that good")
	}
}

// Counts up to 64 are exact.
func TestFewAreExact(t *testing.T) {
	var visits []visit
	for p := range 65 {
		for u := range 3 * p {
			visits = append(visits, visit{p, u % p})
		}
	}
	for _, precision := range []int{LeastPrecision, 14, MostPrecision} {
		for p, n := range counts(t, CountDistinct(precision, page, user).Over(mapreduce.Slice(visits))) {
			require.EqualValues(t, p, n)
		}
	}
}

// Counts depend only on the values, not on splits, memory, failing attempts or reduces.
func TestCountsAreOfValuesAlone(t *testing.T) {
	var text strings.Builder
	random := rand.New(rand.NewPCG(3, 1))
	for range 500 {
		text.WriteString(strings.Repeat("x", random.IntN(3)) + "," + strings.Repeat("y", random.IntN(200)) + "\n")
	}
	job := CountDistinct(5,
		func(line string) string { k, _, _ := strings.Cut(line, ","); return k },
		func(line string) string { _, v, _ := strings.Cut(line, ","); return v })
	got := mrtest.CheckWith(t, mrtest.Options{Splits: []int64{99, 9_999}}, job,
		mapreduce.LineStrings(mapreduce.Bytes("visits", []byte(text.String()))))
	require.Len(t, got, 3)
	for _, c := range got {
		require.InDelta(t, 115, c.Second, 60)
	}
}

// Sketches of the same values, merged in any order, have the same encoding. Decoded, they have the
// same count.
func TestSketchesOfTheSameValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		precision := rapid.Uint8Range(LeastPrecision, 9).Draw(t, "precision")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		values := make([]uint64, rapid.IntRange(1, 1500).Draw(t, "values"))
		for i := range values {
			values[i] = random.Uint64() >> (random.IntN(2) * 50)
		}
		build := func() []byte {
			random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			var all []Sketch
			for _, v := range values {
				all = append(all, Sketch{one: v, precision: precision})
			}
			for len(all) > 1 {
				i := random.IntN(len(all) - 1)
				if random.IntN(100) == 0 {
					b, err := all[i].MarshalBinary()
					require.NoError(t, err)
					require.NoError(t, all[i].UnmarshalBinary(b))
				}
				all[i] = merge(all[i], all[i+1])
				all[i+1] = all[len(all)-1]
				all = all[:len(all)-1]
			}
			b, err := all[0].MarshalBinary()
			require.NoError(t, err)
			var again Sketch
			require.NoError(t, again.UnmarshalBinary(b))
			require.Equal(t, all[0].Count(), again.Count())
			return b
		}
		require.Equal(t, build(), build())
	})
}

func TestChecked(t *testing.T) {
	for _, precision := range []int{LeastPrecision - 1, MostPrecision + 1} {
		require.ErrorContains(t, runs(t, CountDistinct(precision, page, user)), "want 4 to 18")
	}
	bad := CountDistinct(9, page, func(visit) map[int]int { return nil })
	require.ErrorContains(t, runs(t, bad), "map[int]int")
	for _, b := range [][]byte{nil, {5}, make([]byte, 10), append([]byte{9 | manyFlag}, make([]byte, 40)...)} {
		require.ErrorIs(t, new(Sketch).UnmarshalBinary(b), errSketch)
	}
}

func runs(t *testing.T, job mapreduce.Job[visit, int, Sketch, mapreduce.Pair[int, int64]]) error {
	p, err := job.Bind(mapreduce.Slice([]visit{{}}), new(mapreduce.Collected[mapreduce.Pair[int, int64]]).Output())
	require.NoError(t, err)
	_, err = mapreduce.RunLocal(t.Context(), p, mapreduce.LocalOptions{})
	return err
}
