package input

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"
)

// The window of an xz file is known from the header of its first block, if that is present.
func TestWindowOfXZ(t *testing.T) {
	window := func(text string) func(n int) int64 {
		b, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		return func(n int) int64 { return xzWindow(bufio.NewReader(bytes.NewReader(b[:min(n, len(b))]))) }
	}
	hello := window("/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQALaGVsbG8Kd29ybGQKAIfGznfORiuuAAEkDKYY2NgftvN9AQAAAAAEWVo=")
	require.EqualValues(t, 8<<20, hello(1<<10))
	for n := range 100 {
		require.Contains(t, []int64{0, 8 << 20}, hello(n))
	}
	require.Zero(t, window("/Td6WFoAAATm1rRGAAAAABzfRCEftvN9AQAAAAAEWVo=")(1<<10), "an empty file")
}
