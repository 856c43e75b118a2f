package policyfile

import (
	"bytes"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling"
)

// leaves returns the paths of the fields of a struct type, down to fields that are not structs.
func leaves(t reflect.Type, path string) (list []string) {
	switch {
	case t.Kind() == reflect.Struct:
		for f := range t.Fields() {
			list = append(list, leaves(f.Type, path+"."+f.Name)...)
		}
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			list = append(list, leaves(t.Elem(), path+"."+strconv.Itoa(i))...)
		}
	default:
		list = append(list, strings.TrimPrefix(path, "."))
	}
	return list
}

// Every field of a policy, a pool, a user and a queue has exactly one key in a policy file. Every
// key has a field.
func TestEveryFieldHasAKey(t *testing.T) {
	paths := func(list []*Field) (all []string) {
		for _, f := range list {
			all = append(all, f.Path)
		}
		return all
	}
	own := func(path string) bool { return strings.HasSuffix(path, ".Part") } // parts that a program supplies
	policy := slices.DeleteFunc(leaves(reflect.TypeFor[scheduling.Policy](), ""), own)
	require.ElementsMatch(t, policy, paths(Fields()))
	require.ElementsMatch(t, leaves(reflect.TypeFor[scheduling.PoolConfig](), ""), paths(byKey(Fields(), "pools.list").items))
	require.ElementsMatch(t, leaves(reflect.TypeFor[scheduling.UserConfig](), ""), paths(byKey(Fields(), "pools.users").items))
	require.ElementsMatch(t, leaves(reflect.TypeFor[scheduling.QueueConfig](), ""), paths(byKey(Fields(), "queues").items))
	seen := map[string]bool{}
	for _, f := range Fields() {
		require.False(t, seen[f.Key], f.Key)
		seen[f.Key] = true
		require.NotEmpty(t, f.Help, f.Key)
		for _, n := range f.needs {
			require.Equal(t, n.key, byKey(Fields(), n.key).Key, "%s needs a setting that there is", f.Key)
		}
		if x, err := strconv.ParseFloat(f.Unset, 64); err == nil && x != 0 && !f.setWord(reflect.New(f.typ).Elem(), f.number(0)) {
			require.Positive(t, f.Least, "%s: 0 would silently mean %s", f.Key, f.Unset)
		}
	}
}

// written returns the text that Write writes for policy p.
func written(t require.TestingT, scheduler string, p *scheduling.Policy) string {
	var b bytes.Buffer
	require.NoError(t, Write(&b, scheduler, p))
	return b.String()
}

func read(t require.TestingT, text string) scheduling.Policy {
	f, err := Read(strings.NewReader(text), "some/mine.yaml")
	require.NoError(t, err, text)
	p, err := f.Policy()
	require.NoError(t, err)
	require.NoError(t, f.Idle(&p), text)
	return p
}

// A preset that is written to a file and read is the same, except for settings without effect.
func TestPresetsThroughFiles(t *testing.T) {
	for _, name := range scheduling.Presets() {
		p, err := Preset(name)
		require.NoError(t, err)
		require.Equal(t, p, read(t, written(t, name, &p)), name)
		require.Equal(t, name == "hfs", p.Reduce.Rule == scheduling.CoGRS)
	}
}

// someValue draws a valid value of the setting f.
func someValue(r *rapid.T, f *Field) string {
	var list []string
	for _, w := range f.words {
		list = append(list, w.text)
	}
	if !f.only {
		switch f.typ.Kind() {
		case reflect.Bool:
			list = append(list, "true", "false")
		case reflect.String:
			list = append(list, "some name", "x: #y", "-", "1e3", "~")
		case reflect.Float64:
			list = append(list, f.number(f.Most), f.number(math.Max(f.Least, 0.5)))
		default:
			list = append(list, f.number(f.Most), f.number(math.Max(f.Least, 3)))
		}
	}
	return rapid.SampledFrom(list).Draw(r, f.Key)
}

// active returns the lines of a policy file that are not commented out.
func active(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// A written file parses to the same policy, whatever its settings, and that policy is written as
// the same bytes.
func TestWrittenPoliciesReadAlike(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		scheduler := rapid.SampledFrom(scheduling.Presets()).Draw(r, "scheduler")
		p, err := Preset(scheduler)
		require.NoError(r, err)
		for _, f := range Fields() {
			if f.Key == "order" || !rapid.Bool().Draw(r, f.Key+"?") {
				continue
			}
			if f.IsList() {
				v := f.of(reflect.ValueOf(&p))
				item := reflect.New(v.Type().Elem())
				for _, one := range f.items {
					require.NoError(r, one.set(one.of(item), someValue(r, one)))
				}
				if f.Key == "queues" {
					item.Elem().FieldByName("Parent").SetString("")
					item.Elem().FieldByName("Max").SetFloat(0)
				}
				v.Set(reflect.Append(reflect.Zero(v.Type()), item.Elem()))
				continue
			}
			require.NoError(r, f.Set(&p, someValue(r, f)), f.Key)
		}
		if p.HFSP.SuspendLow > p.HFSP.SuspendHigh {
			p.HFSP.SuspendLow = p.HFSP.SuspendHigh
		}
		text := written(r, scheduler, &p)
		again := read(r, text)
		require.Equal(r, active(text), active(written(r, scheduler, &again)))
		for _, f := range Fields() {
			if f.Idle(&p) == "" {
				require.Equal(r, f.Text(&p), f.Text(&again), f.Key)
			}
		}
	})
}

// In a file, 0 means 0 and a word such as none or never means no limit, unlike in the Go structs.
func TestZerosAreZeros(t *testing.T) {
	p := read(t, "scheduler: hfs\nslow_start: 0\nreduce: {theta: 0, skew_cap: none, node_wait: 0s, rack_wait: 2s}\n"+
		"avoid: {jobs: never}\npools:\n  list:\n    - {name: a, max_maps: 0, max_reduces: none, max_jobs: 0, min_timeout: none}\n")
	require.Zero(t, p.SlowStart)
	require.Equal(t, scheduling.ReducePolicy{
		Rule: scheduling.CoGRS, Theta: -1, SkewCap: -1, Waits: [2]time.Duration{-1, 2 * time.Second},
	}, p.Reduce)
	require.Equal(t, -1, p.Avoid.Jobs)
	require.Equal(t, []scheduling.PoolConfig{
		{Name: "a", Max: [2]int{-1, 0}, MaxJobs: -1, MinTimeout: -1},
	}, p.Pools.Pools)
	require.Equal(t, "mine", p.Name, "a file without a name has its own")
}

func TestFaultsHaveTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"reduce:\n  thetta: 0.1\n":                            `p.yaml:2:3: bad policy: unknown key "thetta", did you mean "theta"?`,
		"thet: 1\n":                                           `p.yaml:1:1: bad policy: unknown key "thet"`,
		"slow_start: 2\n":                                     `p.yaml:1:13: bad policy: slow_start: "2": want 0 to 1`,
		"slow_start: .nan\n":                                  `p.yaml:1:13: bad policy: slow_start: ".nan": want`,
		"scheduler: fifa\n":                                   `p.yaml:1:12: bad policy: unknown scheduler "fifa": want fifo, fair`,
		"hfsp: 3\n":                                           `p.yaml:1:7: bad policy: want keys and values, not integer`,
		"spread: maybe\n":                                     `p.yaml:1:9: bad policy: spread: "maybe": want true or false`,
		"locality:\n  waits: [1s, soon]\n":                    `p.yaml:2:10: bad policy: locality.waits: "soon": want a time`,
		"locality:\n  waits: 1s/\n":                           `p.yaml:2:10: bad policy: locality.waits: "": want a time`,
		"locality: {rule: wait, rule: skips}\n":               `p.yaml:1: bad policy: mapping key "rule" already defined`,
		"hfsp:\n  xi: 0.5\n":                                  `p.yaml:2:7: bad policy: hfsp.xi: "0.5": want 1 or more or inf`,
		"pools:\n  list:\n    - {weight: 3}\n":                `p.yaml:3:7: bad policy: pools.list: an entry needs a name`,
		"pools:\n  list:\n    - {name: a, wieght: 3}\n":       `p.yaml:3:17: bad policy: unknown key "wieght", did you mean "weight"?`,
		"pools:\n  list:\n    - {name: a}\n    - {name: a}\n": `p.yaml:1: bad policy: pool a twice`,
		"scheduler: capacity\nqueues:\n  - {name: a, capacity: 70}\n  - {name: b, capacity: 70}\n": `p.yaml:1: bad policy: the queues below`,
		"hfsp: {suspend_low: 3}\n": `p.yaml:1: bad policy: hfsp: numbers must not be negative, xi at least 1, suspend-low`,
		"avoid: {jobs: 1e10}\n":    `avoid.jobs: "1e10": at most 1e+09`,
		"avoid: {jobs: 0}\n":       `p.yaml:1:15: bad policy: avoid.jobs: "0": want 1 or more`,
		"order: [\n":               "p.yaml:",
		"":                         "p.yaml:1: bad policy: nothing in it",
		"name: \"a\\tb\"\n":        "want a name without control characters",
	} {
		_, err := Read(strings.NewReader(text), "p.yaml")
		require.ErrorIs(t, err, ErrBad, text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "\n")
	}
}

// Idle reports a key that has no effect under the policy, with its line.
func TestIdleKeys(t *testing.T) {
	for text, want := range map[string]string{
		"scheduler: fifo\nhfsp:\n  delta: 9s\n": "p.yaml:3:10: bad policy: hfsp.delta has no effect with order fifo, only with hfsp",
		"scheduler: fair\nreduce: {theta: 0}\n": "p.yaml:2:17: bad policy: reduce.theta has no effect with reduce.rule any, only with cogrs or larts",
	} {
		f, err := Read(strings.NewReader(text), "p.yaml")
		require.NoError(t, err)
		p, err := f.Policy()
		require.NoError(t, err)
		require.EqualError(t, f.Idle(&p), want)
	}
}

func TestFind(t *testing.T) {
	for name, key := range map[string]string{"theta": "reduce.theta", "reduce.theta": "reduce.theta", "slow-start": "slow_start"} {
		f, err := Find(name)
		require.NoError(t, err)
		require.Equal(t, key, f.Key)
	}
	for name, want := range map[string]string{
		"thetta": "did you mean theta?", "rule": "rule may be locality.rule, reduce.rule, quincy.rule, speculation.rule", "": `no setting ""`,
	} {
		_, err := Find(name)
		require.ErrorIs(t, err, ErrBad)
		require.ErrorContains(t, err, want)
	}
}

// Read of any bytes returns a policy that a Core accepts and that can be written and read, or an
// error that names the file.
func FuzzRead(f *testing.F) {
	for _, name := range scheduling.Presets() {
		p, err := Preset(name)
		require.NoError(f, err)
		f.Add([]byte(written(f, name, &p)))
	}
	f.Add([]byte("pools: {list: [{name: a, weight: 2}]}\nlocality: {waits: [1s, 2]}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Read(bytes.NewReader(text), "f.yaml")
		if err != nil {
			require.ErrorIs(t, err, ErrBad)
			require.Contains(t, err.Error(), "f.yaml:")
			return
		}
		p, err := file.Policy()
		require.NoError(t, err)
		_, err = scheduling.NewCore(scheduling.Config{}, p)
		require.NoError(t, err)
		out := written(t, file.Scheduler, &p)
		again := read(t, out)
		require.Equal(t, active(out), active(written(t, file.Scheduler, &again)), "%q", text)
	})
}

// The policy file in docs/configuration.md is valid and sets what the page says.
func TestDocumentedPolicy(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, found, 1)
	p := read(t, found[0][1])
	require.Equal(t, 0.1, p.Reduce.Theta)
	require.Equal(t, scheduling.FIFOMode, p.Pools.Pools[0].Mode)
}

// SetAll applies settings in their order; Append adds an entry to a list.
func TestSetAllAndAppend(t *testing.T) {
	p, err := scheduling.Preset("hfs")
	require.NoError(t, err)
	require.NoError(t, SetAll(&p, []Setting{{"locality.rule", "skips"}, {"skips", "1/2"}, {"fair_timeout", "60s"}}))
	require.Equal(t, scheduling.LocalityPolicy{Rule: scheduling.SkipCount, Skips: []int{1, 2}, Waits: p.Locality.Waits}, p.Locality)
	require.Equal(t, time.Minute, p.Pools.FairTimeout)
	require.NoError(t, Append(&p, "pools.list", []Setting{{"name", "a"}, {"max_jobs", "none"}}))
	require.NoError(t, Append(&p, "pools.list", []Setting{{"name", "b"}, {"max_maps", "0"}}))
	require.Equal(t, []scheduling.PoolConfig{{Name: "a", MaxJobs: scheduling.NoLimit}, {Name: "b", Max: [2]int{-1, 0}}}, p.Pools.Pools)
	require.ErrorContains(t, SetAll(&p, []Setting{{"quincy.rule", "qf"}}), "quincy.rule has no effect with order pools")
	require.ErrorContains(t, SetAll(&p, []Setting{{"fair_time", "1s"}}), "no setting")
	require.ErrorContains(t, Append(&p, "pools.list", []Setting{{"capacity", "1"}}), `pools.list has no setting "capacity"`)
	require.ErrorContains(t, Append(&p, "queues", []Setting{{"name", "q"}}), "queues has no effect with order pools")
}
