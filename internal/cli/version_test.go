package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// On Linux, tarry version has one line; elsewhere a second one names what does not work there.
func TestOtherSystemsNameTheirLimits(t *testing.T) {
	require.Empty(t, restrictions("linux"))
	for _, system := range []string{"darwin", "windows", "freebsd"} {
		require.Regexp(t, `^tested on Linux only[^\n]*\n$`, restrictions(system))
	}
	for _, limit := range []string{"not locked", "--overwrite", "SIGHUP"} {
		require.Contains(t, restrictions("windows"), limit)
	}
}
