package bench

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSummarize(t *testing.T) {
	require.Equal(t, Summary{}, Summarize(nil))
	require.Equal(t, Summary{Median: 7, Min: 7, Max: 7, N: 1}, Summarize([]float64{7}))
	values := []float64{9, 1, 4}
	require.Equal(t, Summary{Median: 4, Min: 1, Max: 9, N: 3}, Summarize(values))
	require.Equal(t, []float64{9, 1, 4}, values, "values are left alone")
	require.Equal(t, Summary{Median: 3, Min: 1, Max: 9, N: 4}, Summarize([]float64{9, 1, 2, 4}))
}

// walls makes samples of the given wall times in seconds.
func walls(seconds ...float64) []Sample {
	samples := make([]Sample, len(seconds))
	for i, s := range seconds {
		samples[i].Wall = s
	}
	return samples
}

// A machine that is twice as slow in the second round changes no ratio.
func TestRatiosAreTakenWithinRounds(t *testing.T) {
	require.Equal(t, Summary{Median: 2, Min: 2, Max: 2, N: 3},
		ratios(walls(2, 4, 2), walls(1, 2, 1), wall))
	require.Equal(t, Summary{Median: 10, Min: 10, Max: 10, N: 1}, ratios(walls(10), walls(1, 2, 3), wall),
		"one ran once")
	require.Equal(t, Summary{}, ratios(nil, walls(1), wall))
	a, b := walls(1, 1), walls(1, 1)
	a[0].CPU, b[0].CPU, a[1].CPU = 3, 2, 1
	require.Equal(t, Summary{Median: 1.5, Min: 1.5, Max: 1.5, N: 1}, ratios(a, b, cpu))
}

func TestStatusBytes(t *testing.T) {
	status := []byte("Name:\tlimit\nVmHWM:\t 1209748 kB\nRssAnon:\t   65536 kB\nRssFile:\tnone\n")
	require.Equal(t, int64(1209748<<10), statusBytes(status, "VmHWM:"))
	require.Equal(t, int64(64<<20), statusBytes(status, "RssAnon:"))
	require.Zero(t, statusBytes(status, "RssFile:"))
	require.Zero(t, statusBytes(status, "RssShmem:"))
}
