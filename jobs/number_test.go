package jobs

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumber(t *testing.T) {
	n, err := number([]byte("k"), []byte("-00000000000000000000000000000000012"))
	require.NoError(t, err)
	require.EqualValues(t, -12, n)
	for _, text := range []string{"", " 1", "1.5", "9223372036854775808", "ä", strings.Repeat("1", longestNumber+1)} {
		_, err := number([]byte("k"), []byte(text))
		require.ErrorContains(t, err, `key "k": "`+text[:min(len(text), 60)])
		require.ErrorContains(t, err, "is no integer of 64 bits")
		require.Less(t, len(err.Error()), 200)
	}
}

// An error about a record of 64 MB shows only its beginning, and needs few allocations.
func TestErrorsOfLongRecords(t *testing.T) {
	long := bytes.Repeat([]byte{'x', 0}, 32<<20)
	allocated := testing.AllocsPerRun(1, func() {
		_, err := number(long, long)
		require.ErrorContains(t, err, "… (67108864 bytes)")
		require.Less(t, len(err.Error()), 500)
	})
	require.Less(t, allocated, 200.0)
}

func TestListed(t *testing.T) {
	for name, want := range map[string]string{
		"dir/plain name.txt": "dir/plain name.txt",
		"ä€":                 "ä€",
		"a,b":                "a%2Cb",
		"a\tb\nc\rd\x00":     "a%09b%0Ac%0Dd%00",
		"100%2C":             "100%252C",
	} {
		require.Equal(t, want, string(listed(nil, []byte(name))))
	}
}
