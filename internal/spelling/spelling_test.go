package spelling

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClosest(t *testing.T) {
	names := []string{"run", "batch", "scenario", "experiment"}
	for word, want := range map[string]string{
		"batch": "batch", "bacth": "batch", "bath": "batch", "btc": "", "rum": "",
		"scenraios": "scenario", "experimnet": "experiment", "exparamant": "", strings.Repeat("x", 100): "",
	} {
		require.Equal(t, want, Closest(word, names), word)
	}
}
