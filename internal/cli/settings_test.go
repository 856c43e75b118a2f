package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
)

// Policies differ in the settings that they heed, in no other; package policyfile has a key for every
// field of a policy. A switch that a policy does not heed counts as off.
func TestDiffering(t *testing.T) {
	preset := func(name string, change func(p *scheduling.Policy)) scheduling.Policy {
		p, err := scheduling.Preset(name)
		require.NoError(t, err)
		change(&p)
		return p
	}
	same := func(*scheduling.Policy) {}
	for _, name := range scheduling.Presets() {
		require.Empty(t, differing([]scheduling.Policy{preset(name, same), preset(name, func(p *scheduling.Policy) { p.Name = "x" })}))
	}
	said := func(p *scheduling.Policy) { p.SlowStart = scheduling.DefaultSlowStart }
	require.Empty(t, differing([]scheduling.Policy{preset("hfs", same), preset("hfs", said)}), "the default, said")
	theta := func(p *scheduling.Policy) { p.Reduce.Theta += 0.5 }
	require.Empty(t, differing([]scheduling.Policy{preset("fair", same), preset("fair", theta)}), "not heeded")
	cogrs := func(p *scheduling.Policy) { p.Reduce.Rule = scheduling.CoGRS }
	both := func(p *scheduling.Policy) { cogrs(p); theta(p) }
	list := differing([]scheduling.Policy{preset("hfs", cogrs), preset("hfs", both), preset("hfs", same)})
	require.Len(t, list, 2)
	require.Equal(t, setting{"reduce.rule", []string{"cogrs", "cogrs", "any"}}, list[0])
	require.Equal(t, "reduce.theta", list[1].name)
	require.Empty(t, list[1].values[2], "not heeded there")
	for _, s := range differing([]scheduling.Policy{preset("hfs", same), preset("fair", same)}) {
		if s.name == "spread" {
			require.Equal(t, []string{"true", "false"}, s.values)
			return
		}
	}
	require.Fail(t, "hfs spreads tasks, fair does not heed it")
}
