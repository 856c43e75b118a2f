package policyfile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
)

// Differences lists only settings that have an effect in one of the two policies. A switch without
// effect counts as off.
func TestDifferences(t *testing.T) {
	preset := func(name string, change func(p *scheduling.Policy)) scheduling.Policy {
		p, err := scheduling.Preset(name)
		require.NoError(t, err)
		change(&p)
		return p
	}
	same := func(*scheduling.Policy) {}
	for _, name := range scheduling.Presets() {
		require.Empty(t, Differences(preset(name, same), preset(name, func(p *scheduling.Policy) { p.Name = "x" })))
	}
	said := func(p *scheduling.Policy) { p.SlowStart = scheduling.DefaultSlowStart }
	require.Empty(t, Differences(preset("hfs", same), preset("hfs", said)), "the default, said")
	theta := func(p *scheduling.Policy) { p.Reduce.Theta += 0.5 }
	require.Empty(t, Differences(preset("fair", same), preset("fair", theta)), "without effect")
	cogrs := func(p *scheduling.Policy) { p.Reduce.Rule = scheduling.CoGRS }
	both := func(p *scheduling.Policy) { cogrs(p); theta(p) }
	list := Differences(preset("hfs", cogrs), preset("hfs", both), preset("hfs", same))
	require.Len(t, list, 2)
	require.Equal(t, Difference{"reduce.rule", []string{"cogrs", "cogrs", "any"}}, list[0])
	require.Equal(t, "reduce.theta", list[1].Key)
	require.Empty(t, list[1].Values[2], "without effect there")
	for _, s := range Differences(preset("hfs", same), preset("fair", same)) {
		if s.Key == "spread" {
			require.Equal(t, []string{"true", "false"}, s.Values)
			return
		}
	}
	require.Fail(t, "hfs spreads tasks, and in fair the switch has no effect")
}
