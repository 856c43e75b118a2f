package allocation

import (
	"bytes"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/configuration.md has every element, setting and property that the parsers know. It names
// long prefixes once and omits them in the tables.
func TestDocumentedTables(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	require.NoError(t, err)
	keys := slices.Concat(names(topSettings), names(poolSettings), names(userSettings), names(queuesElements), names(queueElements),
		names(queueSettings), names(clusterSettings), names(parameters))
	for _, key := range keys {
		key = strings.TrimPrefix(key, "@")
		for _, prefix := range []string{prefixFair, prefixDefaults, prefixBooster, "mapred.capacity-scheduler."} {
			key = strings.TrimPrefix(key, prefix)
		}
		word := regexp.MustCompile(`[^a-z]` + regexp.QuoteMeta(key) + `[^A-Za-z-]`)
		last := key[max(0, strings.LastIndexByte(key, '.')):] // as in a row `locality.delay.node`, `.rack`
		require.True(t, word.Match(page) || bytes.Contains(page, []byte("`"+last+"`")), key)
	}
}

// names returns the keys of a table.
func names(t table) []string { return slices.Sorted(maps.Keys(t)) }

func TestUnknownNamesAreSimilarToKnownOnes(t *testing.T) {
	for name, want := range map[string]string{"minMap": ", did you mean minMaps?", "naem": "", "color": ""} {
		require.Equal(t, want, poolSettings.near(name).String(), name)
	}
	require.Equal(t, ", did you mean mapred.fairscheduler.preemption?", parameters.near("mapred.fairscheduler.preemtion").String())
}
