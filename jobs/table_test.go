package jobs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// JSON numbers with exponents are decimal numbers, too.
func TestNumbersWithoutExponent(t *testing.T) {
	for number, want := range map[string]string{
		"15e-1": "1.5", "1E3": "1000", "-2.5e+2": "-250", "1e-18": "0.000000000000000001", "3": "3",
		"1e999999999999": "1e999999999999", "1e61": "1e61", "0e5": "0",
	} {
		require.Equal(t, want, withoutExponent(number))
	}
}
