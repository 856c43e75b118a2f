package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

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

// Nobody forgets to say where a new flag has an effect, and the table names no flag that is not
// there.
func TestEveryFlagIsInTheTableOfEffects(t *testing.T) {
	there := map[string]bool{}
	ourFlags(func(path string, f *pflag.Flag) {
		known := false
		for i, r := range effects() {
			c := &combination{path: path}
			if r.isOf(c, f.Name) {
				known, there[string(rune(i))+f.Name] = true, true
			}
		}
		require.True(t, known, "tarry %s --%s: where has it an effect? see effects()", path, f.Name)
	})
	for i, r := range effects() {
		for name := range strings.FieldsSeq(r.flags) {
			require.True(t, there[string(rune(i))+name], "%v has no --%s", r.on, name)
		}
	}
}

// Each line of the table that refuses flags does: in a line that names two flags, or a flag and
// what it has no effect with.
func TestFlagsWithoutEffectAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := 0
	for _, r := range effects() {
		require.Equal(t, r.unless == nil, r.wrong == "", "%v %s", r.on, r.flags)
		if r.unless == nil {
			continue
		}
		lines++
		w := runHere(t, strings.Fields(r.wrong), nil)
		require.Equal(t, exitUsage, w.code, "%s: %s", r.wrong, w.errs)
		require.Regexp(t, `^tarry: --[a-z-]+ has no effect (with|without) [^\n]+\n$`, w.errs, r.wrong)
		said := func(f string) bool { return strings.Contains(w.errs, "--"+f) }
		named := slices.ContainsFunc(strings.Fields(r.flags), said)
		require.True(t, named, "%s: %s", r.wrong, w.errs)
	}
	require.Greater(t, lines, 30)
}

// A variable of the environment that has no effect here is left out, and does not win over the
// command line.
func TestEnvironmentWithoutEffectIsLeftOut(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "in", "b\na\n")
	for _, c := range []struct{ args, env string }{
		{"run sort in -o out1 -q --inline", "TARRY_NODES=4"},
		{"run sort in -o out2 -q --scheduler fifo", "TARRY_PREEMPTION=true"},
		{"run sort in -o out3 -q --scheduler srpt", "TARRY_POOL=ann"},
		{"run sort in -o out4 -q --nodes 2 --skips 3", "TARRY_WAIT=5s"},
		{"run sort in -o out5 -q --nodes 2 --wait 1s", "TARRY_SKIPS=3,4"},
		{"run sort in -o out8 -q", "TARRY_WAIT=5s"},
		{"run sort in -o out9 -q --nodes 2", "TARRY_RACK_WAIT=5s"},
		{"run sort in -o out10 -q --nodes 2", "TARRY_VERSION=true"},
		{"run sort in -o out6 -q --scheduler fifo", "TARRY_ALLOCATIONS=nofile.xml"},
		{"run top in2 -o out7 -q", "TARRY_REDUCES=3"},
		{"gen tera --size 100 -o made", "TARRY_WORDS=5"},
	} {
		write(t, "in2", "a\t1\n")
		name, value, _ := strings.Cut(c.env, "=")
		w := runHere(t, strings.Fields(c.args), map[string]string{name: value})
		require.Equal(t, 0, w.code, "%s %s: %s", c.env, c.args, w.errs)
	}
	w := runHere(t, strings.Fields("run sort in -o out -q --nodes 4"), map[string]string{"TARRY_INLINE": "true"})
	require.Contains(t, w.errs, "TARRY_INLINE", "the user sees where --inline comes from")
}
