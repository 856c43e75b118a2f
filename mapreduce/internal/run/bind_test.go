package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
)

// The user's package is that of the nearest caller outside of the engine; a test is one. Keys may
// be structs with fields that only this package sees.
func TestUserPackage(t *testing.T) {
	require.Equal(t, "github.com/tarry-mr/tarry/mapreduce/internal/run", UserPackage())
	_, err := codec.Key[struct{ a, b string }](false, UserPackage())
	require.NoError(t, err)
}
