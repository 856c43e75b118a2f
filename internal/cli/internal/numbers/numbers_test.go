package numbers

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

func TestSizes(t *testing.T) {
	var b Bytes
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	Add(f, &b, Span{Most: 1 << 50}, "size", "", "")
	v := f.Lookup("size").Value
	for s, want := range map[string]int64{
		"0": 0, "4096": 4096, "64MiB": 64 << 20, "64 MiB": 64 << 20, "100MB": 100e6,
		"1.5k": 1536, "1kb": 1000, "2g": 2 << 30, "1e3": 1000, ".5KiB": 512, "007": 7,
	} {
		require.NoError(t, v.Set(s), s)
		require.EqualValues(t, want, b, s)
	}
	for n, want := range map[Bytes]string{0: "0", 1000: "1KB", 1024: "1KiB", 64 << 20: "64MiB", 1025: "1025"} {
		b = n
		require.Equal(t, want, v.String())
	}
}

// Whole numbers are decimal, even with leading zeros or a sign.
func TestWholeNumbers(t *testing.T) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	nodes, seed := 0, uint64(0)
	Add(f, &nodes, Span{Most: 1e6}, "nodes", "", "")
	Add(f, &seed, Span{Most: 1 << 64}, "seed", "", "")
	require.NoError(t, f.Parse([]string{"--nodes", "010", "--seed", "+07"}))
	require.Equal(t, 10, nodes)
	require.EqualValues(t, 7, seed)
	require.NoError(t, f.Set("seed", "18446744073709551615"))
	require.EqualValues(t, uint64(1<<64-1), seed)
}

// Errors are short and show the bound as users write it, such as 1GiB.
func TestErrors(t *testing.T) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	Add(f, new(time.Duration), Span{Most: 5400e9}, "time", "", "")
	Add(f, new(Bytes), Span{Most: 4 << 20}, "size", "", "")
	Add(f, new(Part), Span{Most: 1}, "part", "", "")
	Add(f, new(int), Span{Most: 1}, "int", "", "")
	for _, c := range []struct{ flag, value, want string }{
		{"time", "3h", "at most 1h30m"},
		{"time", "99999999999999h", "at most 1h30m"},
		{"time", "3", "no time with its unit; times are written like 500ms, 1.5s or 2h"},
		{"size", "1GiB", "at most 4MiB"},
		{"size", "1xB", "no size; sizes are written like 64MiB, 100MB or 4096"},
		{"part", "101%", "at most 1"},
		{"part", "half", "no part; parts are written like 0.95 or 95%"},
		{"int", "1e0", "no whole number"},
	} {
		require.EqualError(t, f.Lookup(c.flag).Value.Set(c.value), c.want, c.value)
	}
}
