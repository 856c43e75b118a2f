package report

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want Verdict
	}{
		{Row{Ours: 5, Band: Within(4, 1)}, Holds},
		{Row{Ours: 5.1, Band: Within(4, 1)}, Differs},
		{Row{Ours: 2.9, Band: Within(4, 1)}, Differs},
		{Row{Ours: 7, Band: AtLeast(7)}, Holds},
		{Row{Ours: 6.9, Band: AtLeast(7)}, Differs},
		{Row{Ours: 7.1, Band: AtMost(7)}, Differs},
		{Row{Ours: 1, Band: Context()}, ContextOnly},
		{Row{Ours: math.NaN(), Band: AtLeast(0)}, Differs},
	} {
		require.Equal(t, c.want, c.row.Verdict(), "%+v", c.row)
	}
}
