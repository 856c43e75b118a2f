package cli

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

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
