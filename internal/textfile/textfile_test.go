package textfile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNotText(t *testing.T) {
	for text, line := range map[string]int{
		"": 0, "a\nb\n": 0, "ä": 0, "a\n\x00": 2, "\xff": 1, "a\nb\n\xc3": 3, ByteOrderMark + "a": 0,
	} {
		require.Equal(t, line, NotText([]byte(text)), "%q", text)
	}
}
