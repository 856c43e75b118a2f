package numbers

import (
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

func TestSizes(t *testing.T) {
	var b Bytes
	for s, want := range map[string]int64{
		"0": 0, "4096": 4096, "64MiB": 64 << 20, "64 MiB": 64 << 20, "100MB": 100e6,
		"1.5k": 1536, "1kb": 1000, "2g": 2 << 30, "1e3": 1000, ".5KiB": 512, "007": 7,
	} {
		require.NoError(t, b.Set(s), s)
		require.EqualValues(t, want, b, s)
	}
	for n, want := range map[Bytes]string{0: "0", 1000: "1KB", 1024: "1KiB", 64 << 20: "64MiB", 1025: "1025"} {
		require.Equal(t, want, n.String())
	}
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 99_949: "99.9 kB", 99_950: "100 kB", 999_500: "1.0 MB", 5e15: "5000 TB",
	} {
		require.Equal(t, want, Human(n))
	}
}

// Whole numbers and their lists are decimal, whatever zeros or signs they begin with.
func TestWholeNumbers(t *testing.T) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	nodes, seed, skips := f.Int("nodes", 0, ""), f.Uint64("seed", 0, ""), f.IntSlice("skips", nil, "")
	f.VisitAll(func(one *pflag.Flag) { one.Value = &Value{Value: one.Value, Span: Span{Most: 1e6}} })
	require.NoError(t, f.Parse([]string{"--nodes", "010", "--skips", "3,04", "--seed", "+7"}))
	require.Equal(t, 10, *nodes)
	require.EqualValues(t, 7, *seed)
	require.Equal(t, []int{3, 4}, *skips)
}

// Errors are short and name the bound as people write it.
func TestErrors(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.Duration("wait", 0, "")
	flags.Var(new(Bytes), "size", "")
	flags.Var(new(Part), "part", "")
	for _, c := range []struct {
		flag, value, want string
		Span
	}{
		{"wait", "3h", "at most 1h30m", Span{Most: 5400}},
		{"wait", "99999999999999h", "at most 1h30m", Span{Most: 5400}},
		{"wait", "3", "no time with its unit; times are written like 500ms, 1.5s or 2h", Span{}},
		{"size", "1GiB", "at most 4MiB", Span{Most: 4 << 20}},
		{"size", "1xB", `unknown unit "xB"; sizes are written like 64MiB, 100MB or 4096`, Span{}},
		{"part", "101%", "at most 1", Span{Most: 1}},
		{"part", "half", "no part; parts are written like 0.95 or 95%", Span{}},
	} {
		v := &Value{Value: flags.Lookup(c.flag).Value, Span: c.Span}
		require.EqualError(t, v.Set(c.value), c.want, c.value)
	}
}
