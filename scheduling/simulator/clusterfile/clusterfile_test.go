package clusterfile

import (
	"bytes"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

func read(t testing.TB, text string, cfg simulator.Config) simulator.Config {
	t.Helper()
	require.NoError(t, Read(strings.NewReader(text), "c.yaml", &cfg))
	return cfg
}

const two = `
network: flows
link: 125MB
oversubscription: 4
disk: 200MB
classes:
  - {name: old, map_slots: 2, reduce_slots: 1, speed: 0.5}
  - {name: new, map_slots: 8, reduce_slots: 0, link: 1.25GB, disk: 600MB}
racks:
  - {nodes: [2 old]}
  - {count: 2, nodes: [new, 1 old], uplink: 1GB}
stragglers: {part: 5%, times: lognormal 3 0.5}
outages:
  - {node: 0, from: 10m, until: 20m}
  - {rack: 2, from: 1h}
`

func TestRead(t *testing.T) {
	cfg := read(t, two, simulator.Config{Cluster: simulator.Cluster{Nodes: 9, MapSlots: 3, Replicas: 2}})
	old := simulator.Machine{MapSlots: 2, ReduceSlots: 1, Slow: 2}
	fresh := simulator.Machine{MapSlots: 8, Link: 1.25e9, Disk: 600e6}
	in := func(rack int, m simulator.Machine) simulator.Machine { m.Rack = rack; return m }
	require.Equal(t, simulator.Config{
		Cluster: simulator.Cluster{
			Nodes: 6, Racks: 3, Replicas: 2, Stragglers: 0.05, StragglerTimes: workload.Dist{Shape: workload.LogNormal, A: 3, B: 0.5},
			Machines: []simulator.Machine{old, old, in(1, fresh), in(1, old), in(2, fresh), in(2, old)},
		},
		Network: simulator.Network{
			Flows: true, NodeLink: 125e6, Oversubscription: 4, Disk: 200e6, Uplinks: []float64{0, 1e9, 1e9},
		},
		Failures: simulator.Failures{Outages: []simulator.Outage{
			{Node: 0, At: 10 * time.Minute, For: 10 * time.Minute}, {Node: 4, At: time.Hour}, {Node: 5, At: time.Hour},
		}},
	}, cfg)
	cfg.Policy, _ = scheduling.Preset("hfs")
	require.NoError(t, cfg.Validate())
}

// A node runs nothing during its outage, here from 5 s to 100 s. Two maps of 10 s run on its one
// slot. Without the outage the first ends at 10 s. With it the attempt is lost at 5 s, and both
// maps run afterwards.
func TestOutageOfTheOnlyNode(t *testing.T) {
	const plain = "classes: [{name: a, map_slots: 1, reduce_slots: 0}]\nracks: [{nodes: [a]}]\n"
	ends := func(text string) time.Duration {
		cfg := read(t, text, simulator.Config{Cluster: simulator.Cluster{Setup: -1}, Interval: time.Second})
		cfg.Policy, _ = scheduling.Preset("fair")
		res, err := simulator.Run(t.Context(), cfg, &workload.Workload{Name: "w", Jobs: []workload.Job{
			{Name: "j", Maps: 2, NoLocation: true, Map: workload.Cost{Setup: -1, Time: 10 * time.Second}},
		}})
		require.NoError(t, err)
		return res.Jobs[0].Ended
	}
	require.Equal(t, 20*time.Second, ends(plain))
	late := ends(plain + "outages: [{node: 0, from: 5s, until: 100s}]\n")
	require.GreaterOrEqual(t, late, 120*time.Second)
	require.LessOrEqual(t, late, 122*time.Second, "the node beats once a second")
	require.Equal(t, late, ends(plain+"outages: [{rack: 0, from: 5s, until: 1m40s}]\n"))
}

func TestFaults(t *testing.T) {
	const classes = "classes: [{name: a, map_slots: 1, reduce_slots: 0}]\n"
	const racks = "racks: [{nodes: [3 a]}]\n"
	for text, want := range map[string]string{
		"":                        "c.yaml:1: bad cluster: nothing in it",
		racks:                     "c.yaml:1:6: bad cluster: no classes",
		classes:                   "no racks in it",
		"nods: 3\n":               `c.yaml:1:1: bad cluster: unknown key "nods"`,
		"network: lan":            `c.yaml:1:10: bad cluster: network "lan": want flows or factors`,
		"clases: []":              `did you mean "classes"?`,
		"classes: [{}]\n" + racks: "c.yaml:1:11: bad cluster: a class needs a name",
		"classes: [{name: a b, map_slots: 1}]\n" + racks:                           `"a b" is not a name`,
		"classes: [{name: a, map_slots: 1}]\n" + racks:                             "needs map_slots and reduce_slots",
		"classes: [{name: a, map_slots: 1001}]\n" + racks:                          `c.yaml:1:32: bad cluster: "1001" is not a whole number from 0 to 1000`,
		"classes: [{name: a, speed: 0}]\n" + racks:                                 `0 is not between 0.001 and 1000`,
		"classes: [{name: a, map_slots: 0, reduce_slots: 1}]\n" + racks:            "no node has a map slot",
		classes + "racks: []\n":                                                    "c.yaml:2:8: bad cluster: no nodes in the racks",
		classes + "racks: [{nodes: []}]\n":                                         "a rack needs nodes",
		classes + "racks: [{nodes: [b]}]\n":                                        `c.yaml:2:18: bad cluster: no class is called "b"`,
		classes + "racks: [{nodes: [0 a]}]\n":                                      `"0" is not a whole number`,
		classes + "racks: [{nodes: [1 2 a]}]\n":                                    "want a number of nodes and their class",
		classes + "racks: [{count: 50001, nodes: [2 a]}]\n":                        "more than 100000 nodes",
		classes + racks + "link: 1GB\n":                                            "c.yaml:3:7: bad cluster: links and disks have no effect without network: flows",
		classes + racks + "network: flows\nlink: 1KB\n":                            "1KB is not between 64KiB and 1TiB",
		classes + racks + "stragglers: {times: 3}\n":                               "stragglers need a part",
		classes + racks + "stragglers: {part: 200%}\n":                             "200% is not between 0 and 1",
		classes + racks + "stragglers: {part: 1%, times: gamma 3}\n":               "unknown distribution",
		classes + racks + "outages: [{from: 1s}]\n":                                "an outage is of a node or of a rack",
		classes + racks + "outages: [{node: 3}]\n":                                 `"3" is not a whole number from 0 to 2`,
		classes + racks + "outages: [{node: 1, from: 1.5s}]\n":                     "want whole seconds",
		classes + racks + "outages: [{node: 1, from: 9s, until: 9s}]\n":            "c.yaml:3:11: bad cluster: an outage until 9s that begins at 9s",
		classes + racks + "outages: [{node: 1, until: 9s}, {rack: 0, from: 8s}]\n": "node 1 is out already",
		classes + classes + racks:                                                  "already defined",
	} {
		err := Read(strings.NewReader(text), "c.yaml", new(simulator.Config))
		require.ErrorIs(t, err, ErrBad, text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "\n")
	}
}

// The cluster file in docs/simulator.md is the example of the repository, and can be simulated.
func TestDocumentedCluster(t *testing.T) {
	page, err := os.ReadFile("../../../docs/simulator.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?ms)^```yaml\n(network: .*?)^```$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, found, 1)
	cfg := read(t, found[0][1], simulator.Config{Seed: 1})
	example, err := os.ReadFile("../../../examples/clusters/two-generations.yaml")
	require.NoError(t, err)
	require.Equal(t, read(t, string(example), simulator.Config{Seed: 1}), cfg)
	cfg.Policy, _ = scheduling.Preset("hfs")
	w, err := workload.Named("small-jobs", rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	w.Jobs = w.Jobs[:5]
	_, err = simulator.Run(t.Context(), cfg, &w)
	require.NoError(t, err)
}

// FuzzRead: Read of any bytes returns a cluster that the simulator accepts, or an error that names
// the file.
func FuzzRead(f *testing.F) {
	f.Add([]byte(two))
	f.Add([]byte("classes: [{name: a, map_slots: 1, reduce_slots: 0}]\nracks: [{nodes: [a]}]\noutages: [{rack: 0, from: 8s}]\n"))
	f.Add([]byte("\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var cfg simulator.Config
		if err := Read(bytes.NewReader(text), "f.yaml", &cfg); err != nil {
			require.ErrorIs(t, err, ErrBad)
			require.Contains(t, err.Error(), "f.yaml:")
			return
		}
		require.NoError(t, cfg.Validate())
	})
}
