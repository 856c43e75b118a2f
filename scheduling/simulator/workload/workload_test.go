package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// FacebookIO has the sizes and numbers of jobs of [Zaharia10 Table 2]: 26,410 maps, of which the
// four largest jobs have 73 %.
func TestFacebookIOIsTable2(t *testing.T) {
	w := FacebookIO(source(1))
	require.NoError(t, w.Validate())
	count := map[int]int{}
	for _, j := range w.Jobs {
		count[j.Maps]++
		require.Zero(t, j.Reduces)
		require.Equal(t, Bin(j.Maps), j.Class)
	}
	require.Equal(t, map[int]int{1: 38, 2: 16, 10: 14, 50: 8, 100: 6, 200: 6, 400: 4, 800: 4, 4800: 4}, count)
	maps, _ := w.Tasks()
	require.Equal(t, 26_410, maps)
}

// FacebookMixed has the tasks of [Zaharia10 Table 3]: 21,610 maps and 1,782 reduces in 100 jobs.
// The jobs that follow the joins come in addition.
func TestFacebookMixedIsTable3(t *testing.T) {
	w := FacebookMixed(source(1))
	require.NoError(t, w.Validate())
	require.Len(t, w.Jobs, 100+2*3)
	var maps, reduces int
	for _, j := range w.Jobs {
		if j.After == "" {
			maps += j.Maps
			reduces += j.Reduces
		}
	}
	require.Equal(t, 21_610, maps)
	require.Equal(t, 1_782, reduces)
}

// The gaps between arrivals are exponential, with the published means of 14 s and 13 s.
func TestArrivalGaps(t *testing.T) {
	for _, c := range []struct {
		make func(*rand.Rand) Workload
		mean float64
	}{{FacebookIO, 14}, {FBDataset, 13}} {
		var sum, squares float64
		n := 0
		for seed := range uint64(200) {
			w := c.make(source(seed))
			for i := 1; i < len(w.Jobs); i++ {
				gap := (w.Jobs[i].Submit - w.Jobs[i-1].Submit).Seconds()
				sum += gap
				squares += gap * gap
				n++
			}
		}
		mean := sum / float64(n)
		require.InDelta(t, c.mean, mean, 0.02*c.mean)
		deviation := math.Sqrt(squares/float64(n) - mean*mean)
		require.InDelta(t, c.mean, deviation, 0.04*c.mean, "an exponential's deviation is its mean")
	}
}

// FBDataset has the numbers and sizes of jobs of [Pastorelli13 §4.1].
func TestFBDataset(t *testing.T) {
	w := FBDataset(source(3))
	require.NoError(t, w.Validate())
	class := map[string]int{}
	ones, mediumWithReduces := 0, 0
	for _, j := range w.Jobs {
		class[j.Class]++
		switch {
		case j.Class == "small" && j.Maps == 1:
			ones++
		case j.Class == "medium":
			require.True(t, j.Maps >= 5 && j.Maps <= 500)
			if j.Reduces > 0 {
				mediumWithReduces++
				require.True(t, j.Reduces >= 2 && j.Reduces <= 100)
			}
		}
	}
	require.Equal(t, map[string]int{"small": 53, "medium": 41, "large": 6}, class)
	require.Equal(t, 40, ones)
	require.Equal(t, 20, mediumWithReduces)
}

// Facebook2010, which is synthetic, has about as many maps as SWIM's FB-2010 sample.
func TestFacebook2010(t *testing.T) {
	w := Facebook2010(source(1))
	require.Len(t, w.Jobs, 24_442)
	maps, _ := w.Tasks()
	require.InDelta(t, 8.08e6, float64(maps), 1.2e6)
	large := 0
	for _, j := range w.Jobs {
		if j.Maps > 1500 {
			large += j.Maps
		}
	}
	require.InDelta(t, 0.84, float64(large)/float64(maps), 0.05)
}

// Every named workload is valid, and the same seed draws the same jobs.
func TestNamed(t *testing.T) {
	for _, name := range Names() {
		w, err := Named(name, source(7))
		require.NoError(t, err)
		require.NoError(t, w.Validate(), name)
		again, _ := Named(name, source(7))
		require.Equal(t, w, again)
	}
	_, err := Named("nonesuch", source(1))
	require.ErrorContains(t, err, "facebook-io")
}

func TestSplitBytes(t *testing.T) {
	j := Job{Maps: 3, InputBytes: 10}
	var sum int64
	for i := range j.Maps {
		sum += j.SplitBytes(i)
	}
	require.Equal(t, int64(10), sum)
	require.Equal(t, int64(4), j.SplitBytes(0))
	require.Equal(t, int64(2), j.SplitBytes(2))
	require.Zero(t, (&Job{Maps: 2}).SplitBytes(0))
}

func TestDistributions(t *testing.T) {
	for _, c := range []struct {
		text string
		read func(string) (float64, error)
		mean float64
	}{
		{"14s", ParseSeconds, 14},
		{"1m30s", ParseSeconds, 90},
		{"exponential 14", ParseSeconds, 14},
		{"uniform 5 500", parseCount, 252.5},
		{"lognormal 100 0.5", parseCount, 100 * math.Exp(0.125)},
		{"zipf 3 1", parseCount, 3 / (1 + 1./2 + 1./3)},
		{"64KiB", ParseBytes, 65536},
		{"64kb", ParseBytes, 64000},
		{"1.5G", ParseBytes, 1.5 * (1 << 30)},
		{"2MiB", ParseBytes, 2 << 20},
	} {
		d, err := ParseDist(c.text, c.read)
		require.NoError(t, err, c.text)
		r, sum := source(1), 0.0
		for range 20_000 {
			sum += d.Sample(r)
		}
		require.InEpsilon(t, c.mean, sum/20_000, 0.03, c.text)
	}
	for _, bad := range []string{"", "gauss 1 2", "exponential", "uniform 5", "uniform 9 5", "-3", "nan", "+inf", "1e99", "zipf 0 1", "lognormal 5 -1", "1h x"} {
		_, err := ParseDist(bad, parseCount)
		require.Error(t, err, "%q", bad)
	}
}

func TestValidate(t *testing.T) {
	w := Workload{Jobs: []Job{
		{Name: "a", Maps: 1},
		{Name: "b", Maps: 0},
		{Name: "c", Maps: 1, After: "z"},
		{Name: "d", Maps: 1, File: 2},
		{Name: "e", Maps: 1, Submit: -time.Second},
		{Name: "f", Maps: 1, Skew: Skew{Zipf: math.NaN()}},
	}}
	err := w.Validate()
	for i := 1; i < 6; i++ {
		require.ErrorContains(t, err, fmt.Sprintf("job %d", i))
	}
	require.NotContains(t, err.Error(), "job 0")
}
