package cli

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// tarry play rejects any --listen address that other machines could reach.
func TestPlayListensHere(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":8017", "192.0.2.1:80", "8017", "example.org:80"} {
		err := serveSite(t.Context(), &program{stdout: os.Stdout}, address, nil)
		require.ErrorContains(t, err, "of this machine alone", address)
	}
}
