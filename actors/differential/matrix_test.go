package differential

import (
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tarry-mr/tarry/scheduling"
)

var volumes = map[string]volume{
	"one":       {records: 1, emits: 1, keys: 1},
	"batches":   {records: 3, emits: 200, keys: 40},
	"some":      {records: 60, emits: -7, keys: 20},
	"few keys":  {records: 20, emits: 60, keys: 3},
	"much":      {records: 2, emits: 2000, keys: 600},
	"many keys": {records: 40, emits: 50, keys: 5000},
	"flood":     {records: 2, emits: 200_000, keys: 60_000},
}

var blocks = map[string]int64{"usual": 0, "1B": 1, "13B": 13, "100B": 100}

// matrix returns the table of jobs to test, and the types that its first dimension selects. Without
// full it lacks the slowest values. A dimension's first value fits all other dimensions.
func matrix(full bool) (*table, []types) {
	list := typesTable()
	var names, shapes []string
	for _, t := range list {
		names = append(names, t.name)
		for _, s := range t.shapes {
			if !slices.Contains(shapes, s) {
				shapes = append(shapes, s)
			}
		}
	}
	volumeNames, reduces := []string{"some", "one", "batches", "few keys", "much", "many keys"}, []string{"2", "1", "7"}
	troubles := []string{"none", "error", "panic", "reduce", "lost"}
	if full {
		volumeNames, reduces, troubles = append(volumeNames, "flood"), append(reduces, "500"), append(troubles, "slow")
	}
	m := &table{dims: []dimension{
		{"types", names},
		{"combine", append([]string{"none"}, shapes...)},
		{"map", []string{"Map", "MapTask"}},
		{"reduce", []string{"Reduce", "ReduceTask", "pairs", "stop", "none"}},
		{"order", []string{"hash", "descending", "total", "partition", "total descending", "partition descending"}},
		{"group", []string{"all", "1", "2"}},
		{"volume", volumeNames},
		{"lengths", []string{"edges", "short", "long", "bursts", "huge"}},
		{"buffers", []string{"reused", "fresh"}},
		{"input", []string{"lines", "slice", "fixed", "seq", "stream"}},
		{"cluster", []string{"racks", "one slot", "one node", "one at once", "chaos", "local"}},
		{"block", []string{"usual", "1B", "13B", "100B"}},
		{"memory", []string{"unlimited", "64KiB", "1MiB", "16MiB"}},
		{"reduces", reduces},
		{"trouble", troubles},
	}}
	m.fits = func(i, a, k, b int) bool {
		x, y := m.dims[i].values[a], m.dims[k].values[b]
		switch m.dims[i].name + " " + m.dims[k].name {
		case "types combine":
			return y == "none" || slices.Contains(list[a].shapes, y)
		case "types reduce":
			return y != "none" || list[a].passes
		case "types group":
			return y == "all" || list[a].fields > 1
		case "order trouble": // sampling for a total order runs the maps, too, and must not fail
			return x != "total" && x != "total descending" || y == "none" || y == "reduce" || y == "lost"
		case "input trouble":
			return x != "stream" || y == "none" || y == "reduce"
		case "cluster trouble":
			return y == "none" || x != "local" && (y != "lost" && y != "slow" || x == "racks" || x == "one at once" && y == "lost")
		case "input cluster":
			return x != "stream" || y != "chaos" // chaos fails a first attempt, and a stream is read once
		case "memory lengths", "lengths memory": // the engine rejects records too large for the budget
			return x != "huge" && x != "bursts" || y != "64KiB"
		case "volume lengths":
			return y != "huge" || x != "flood"
		case "reduces memory":
			return x != "500" || y != "64KiB"
		}
		return true
	}
	return m, list
}

// runRow runs a row's job and returns the first difference from the expected output.
func runRow(t *testing.T, m *table, list []types, w row, seed uint64) error {
	value := m.values(w)
	p := plan{
		mapForm: value["map"], reduceForm: value["reduce"], reuse: value["buffers"] == "reused", trouble: value["trouble"],
		order: "hash", reduces: atoi(value["reduces"]), local: value["cluster"] == "local",
	}
	order, direction, _ := strings.Cut(value["order"], " ")
	p.descending = order == "descending" || direction == "descending"
	if order != "descending" {
		p.order = order
	}
	if value["group"] != "all" {
		p.group = atoi(value["group"])
	}
	vol := volumes[value["volume"]]
	vol.lengths = value["lengths"]
	r := rand.New(rand.NewPCG(seed, uint64(crc32.ChecksumIEEE([]byte(m.line(w))))))
	j := list[w[0]].newJob(r, vol, value["combine"], p)
	cfg := clusters[value["cluster"]]
	cfg.Memory, cfg.BlockSize, cfg.Seed = memories[value["memory"]], blocks[value["block"]], seed
	if p.trouble != "slow" { // which asks for a scheduler that speculates
		presets := scheduling.Presets()
		cfg.Scheduler = presets[r.IntN(len(presets))]
		cfg.ReducePlacement = []string{"any", "cogrs", "larts"}[r.IntN(3)]
	}
	return runJob(t, cfg, j, p, value["input"])
}

// Jobs with each pair of properties, and some random jobs, write what plain Go code computes.
func TestMatrix(t *testing.T) {
	t.Parallel()
	m, list := matrix(true)
	seed := testSeed(t)
	r := rand.New(rand.NewPCG(seed, 3))
	few, _ := matrix(false)
	rows := few.cover(r)
	slow, other, floods := 12, 0, 0 // numbers of random rows
	if racing {
		slow, rows = 0, rows[:min(len(rows), 100)]
	}
	if long && !racing {
		slow, other, floods = 800, 1500, 40
	}
	for slow+other+floods > 0 {
		w := m.draw(r)
		n := &other
		switch v := m.values(w); {
		case v["volume"] == "flood":
			n = &floods
		case v["reduces"] == "500" || v["trouble"] == "slow":
			n = &slow
		}
		if *n > 0 {
			*n--
			rows = append(rows, w)
		}
	}
	runRows(t, m, rows, seed, func(w row) error { return runRow(t, m, list, w, seed) })
}

// types is a pair of key and value types, for which the compiler instantiates the engine.
type types struct {
	name   string
	fields int // number of fields of a key; with 1 the engine rejects GroupFields
	shapes []string
	passes bool // the job may have no Reduce
	newJob func(r *rand.Rand, v volume, shape string, p plan) job
}

// of returns a pair of key and value types whose jobs always have a Reduce.
func of[K, V any](k keyKind[K], v valueKind[V]) types {
	t := types{name: k.name + "/" + v.name, fields: len(k.fields)}
	for _, s := range v.shapes {
		t.shapes = append(t.shapes, s.name)
	}
	t.newJob = func(r *rand.Rand, vol volume, shape string, p plan) job {
		j := newTrial(k, v, shape, p)
		j.fill(r, vol)
		return job{records: len(j.records), want: j.want, bind: j.reducing}
	}
	return t
}

// passing returns the types of of(k, v), whose jobs may also have no Reduce.
func passing[K, V any](k keyKind[K], v valueKind[V]) types {
	t := of(k, v)
	t.passes = true
	t.newJob = func(r *rand.Rand, vol volume, shape string, p plan) job {
		j := newTrial(k, v, shape, p)
		j.fill(r, vol)
		return job{records: len(j.records), want: j.want, bind: j.reducing, pass: j.passing}
	}
	return t
}
