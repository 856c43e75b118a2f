package cli

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
)

// Each number flag of each command has a range, and its help text shows the range.
func TestEveryNumberHasARange(t *testing.T) {
	ourFlags(func(path string, f *pflag.Flag) {
		if slices.Contains([]string{"bool", "string", "stringSlice", "stringArray", "" /* TextVar */}, f.Value.Type()) {
			return
		}
		n, ok := f.Value.(*numbers.Value)
		require.True(t, ok, "tarry %s --%s has no range", path, f.Name)
		require.NotZero(t, n.Most, "tarry %s --%s: say what it may be", path, f.Name)
		if n.Type() != "part" && n.Most < math.MaxUint64 {
			require.Contains(t, f.Usage, n.RangeText(), "tarry %s --%s", path, f.Name)
		}
	})
}

// hostileNumbers returns values that no number flag accepts.
func hostileNumbers() []string {
	return []string{
		"", " ", "x", "1 ", " 1", "1x", "0x10", "0b1", "0o7", "1_000", "1e", "--1", "+-1", "1e400x",
		"NaN", "nan", "Inf", "+Inf", "-Inf", "infinity",
		"0x1p4", "１２", "٣", "½", "1,5;2", "1\n", "\x00", "-1", "-9223372036854775808",
		"99999999999999999999999999",
		"1.7976931348623157e309", strings.Repeat("9", 5000), "1e99999GiB", "99999999999999999h", "-1s",
		"1 day", "∞", "null", "true", "1/2", "$((1))",
	}
}

// No number flag accepts hostile values. The error is short, and the flag keeps its value.
func TestHostileNumbersAreRefused(t *testing.T) {
	ourFlags(func(path string, f *pflag.Flag) {
		if _, ok := f.Value.(*numbers.Value); !ok {
			return
		}
		for _, v := range hostileNumbers() {
			before := f.Value.String()
			err := f.Value.Set(v)
			require.Error(t, err, "tarry %s --%s %q", path, f.Name, v)
			require.Less(t, len(err.Error()), 120)
			require.NotContains(t, err.Error(), "strconv")
			require.Equal(t, before, f.Value.String(), "refused, and yet set")
		}
	})
}

// Each number flag accepts both ends of its range, and refuses values just above it.
func TestRangesHold(t *testing.T) {
	ourFlags(func(path string, f *pflag.Flag) {
		n, ok := f.Value.(*numbers.Value)
		if !ok || n.Type() == "uint64" {
			return
		}
		write := func(x float64) string { return strings.ReplaceAll(n.Text(x), ",", "") }
		require.NoError(t, n.Set(write(n.Least)), "tarry %s --%s", path, f.Name)
		require.NoError(t, n.Set(write(n.Most)), "tarry %s --%s", path, f.Name)
		above := n.Most + 1
		if n.Type() == "part" || n.Type() == "float64" || n.Type() == "duration" {
			above = n.Most * 1.01
		}
		require.ErrorContains(t, n.Set(write(above)), "at most", "tarry %s --%s", path, f.Name)
	})
	w := runHere(t, strings.Fields("gen text -o x --seed 18446744073709551616"), nil)
	require.Contains(t, w.errs, "at most 18,446,744,073,709,551,615")
}

// ourFlags calls do for each flag of our own commands, with the path of the command.
func ourFlags(do func(path string, f *pflag.Flag)) {
	everyCommand(newRoot(new(program)), func(cmd *cobra.Command) {
		_, path, _ := strings.Cut(cmd.CommandPath(), " ")
		if path == "" || strings.HasPrefix(path, "completion") || path == "help" {
			return
		}
		each := func(f *pflag.Flag) {
			if f.Name != "help" {
				do(path, f)
			}
		}
		cmd.LocalFlags().VisitAll(each)
		cmd.InheritedFlags().VisitAll(each)
	})
}

// A command ignores an environment variable whose flag has no effect or contradicts given flags.
func TestEnvironmentWithoutEffectIsLeftOut(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "in", "b\na\n")
	for _, c := range []struct{ args, env string }{
		{"run sort in -o out1 -q --inline", "TARRY_NODES=4"},
		{"run sort in -o out8 -q", "TARRY_WAIT=5s"},
		{"run sort in -o out10 -q --nodes 2", "TARRY_VERSION=true"},
		{"run sort in -o out11 -q --nodes 2", "TARRY_INLINE=true"},
		{"run top in2 -o out7 -q", "TARRY_REDUCES=3"},
		{"run top in2 -o out12 -q", "TARRY_HEADER=true"},
		{"run top in2 -o out13 -q -t \\t", "TARRY_CSV=true"},
		{"gen tera --size 100 -o made", "TARRY_WORDS=5"},
	} {
		write(t, "in2", "a\t1\n")
		name, value, _ := strings.Cut(c.env, "=")
		w := runHere(t, strings.Fields(c.args), map[string]string{name: value})
		require.Equal(t, 0, w.code, "%s %s: %s", c.env, c.args, w.errs)
	}
}

// Flags of a run become the cluster's configuration: link rates, task timeout and parallelism.
func TestClusterOfFlags(t *testing.T) {
	of := func(args ...string) actors.Config {
		var r clusterFlags
		cmd := &cobra.Command{Use: "run"}
		r.register(cmd)
		require.NoError(t, cmd.ParseFlags(args))
		cfg, err := r.config(cmd)
		require.NoError(t, err)
		return cfg
	}
	require.Zero(t, of().Network)
	require.EqualValues(t, 1e6, of("--node-link", "1MB").Network.NodeLink)
	require.EqualValues(t, 5, of("--node-link", "1MB", "--oversubscription", "5").Network.Oversubscription)
	require.Negative(t, of("--task-timeout", "0s").TaskTimeout, "any time")
	require.Zero(t, of().Parallelism)
	require.Positive(t, of("--nodes", "4").Parallelism)
	require.Zero(t, of("--nodes", "4", "--parallelism", "0").Parallelism, "as many as slots")
	require.Equal(t, 7, of("--parallelism", "7").Parallelism)
}

// tarry play rejects any --listen address that other machines could reach.
func TestPlayListensHere(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":8017", "192.0.2.1:80", "8017", "example.org:80"} {
		err := serveSite(t.Context(), &program{stdout: os.Stdout}, address, nil)
		require.ErrorContains(t, err, "of this machine alone", address)
	}
}
