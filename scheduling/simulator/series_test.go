package simulator

import (
	"bytes"
	"encoding/csv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Four maps of 10 s run on two slots. At 5 s two run and two wait. At 15 s the last two run, and
// the reduce has begun. The share of the user's pool, which has no rival, is the number of slots
// that the job could use.
func TestSeries(t *testing.T) {
	p := preset(t, "hfs")
	job := computing(4)
	job.User, job.Name, job.Reduces = "ann", "j", 1
	cfg := Config{
		Cluster: Cluster{Setup: -1, Nodes: 2, MapSlots: 1, ReduceSlots: 2}, Policy: p,
		Sample: 5 * time.Second, SampleQueues: true,
	}
	res := run(t, cfg, &workload.Workload{Name: "w", Jobs: []workload.Job{job}})
	var out bytes.Buffer
	require.NoError(t, res.WriteSeriesCSV(&out))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows[0], 15)
	lines := map[string][]string{}
	for _, row := range rows[1:] {
		lines[row[0]+" "+row[1]+" "+row[2]] = row[3:12]
	}
	//                        jobs running  waiting   shares     utilisation
	require.Equal(t, []string{"1", "2", "0", "2", "1", "", "", "1", "0"}, lines["5 cluster "])
	require.Equal(t, []string{"1", "2", "0", "2", "1", "2", "0", "1", "0"}, lines["5 pool ann"], "no reduce may start yet")
	require.Equal(t, lines["5 pool ann"], lines["5 job j"])
	require.Equal(t, []string{"1", "2", "1", "0", "0", "", "", "1", "0.25"}, lines["15 cluster "], "the reduce has started")
}

// The rates of links in the series are those of the flows: a map reads 10 MB/s from the other rack.
func TestSeriesOfLinks(t *testing.T) {
	cfg := Config{
		Cluster: Cluster{Setup: -1, ReadRate: 100e6, Machines: []Machine{{ReduceSlots: 1}, {Rack: 1, MapSlots: 1}}},
		Network: Network{Flows: true, NodeLink: 10e6, Uplinks: []float64{40e6, 20e6}}, Policy: preset(t, "fair"),
		Places: func(int) scheduling.Places {
			return scheduling.Places{Offsets: []int32{0, 1}, Nodes: []scheduling.NodeID{0}}
		},
		Sample: time.Second, SampleQueues: true,
	}
	res := run(t, cfg, &workload.Workload{Name: "w", Jobs: []workload.Job{{Name: "j", Maps: 1, InputBytes: 50e6}}})
	require.Equal(t, Traffic{Nodes: 10e6, Uplinks: 10e6, Busiest: 1}, res.Samples[3].Links)
}

// Three maps on three nodes have 100 bytes each for a reduce on the first node. The second is in
// its rack, the third beyond, so TND is 0 + 2 + 4.
func TestDistancesOfJobs(t *testing.T) {
	cfg := Config{
		Cluster: Cluster{Machines: []Machine{{MapSlots: 1, ReduceSlots: 1}, {MapSlots: 1}, {Rack: 1, MapSlots: 1}}},
		Policy:  preset(t, "fair"),
	}
	job := computing(3)
	job.Name, job.Reduces, job.ShuffleBytes = "j", 1, 300
	for _, cells := range []float64{0, 1} {
		job.Skew.Cells = cells
		res := run(t, cfg, &workload.Workload{Name: "w", Jobs: []workload.Job{job}})
		require.Equal(t, int64(0+2+4), res.Jobs[0].TND)
		require.Equal(t, int64(2*100+4*100), res.Jobs[0].Shuffle.Links())
	}
}
