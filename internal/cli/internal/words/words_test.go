package words

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValuesInMessages(t *testing.T) {
	long := strings.Repeat("ä", 40)
	for value, want := range map[string]string{
		"plain": "plain", "däd/a": "däd/a", "": `""`, "a b": `"a b"`, "\x1b[31m": `"\x1b[31m"`, "\xff": `"\xff"`,
		long: `"` + long[:60] + `"… (80 bytes)`,
	} {
		require.Equal(t, want, Shown(value))
	}
	require.Equal(t, `"plain"`, Quoted("plain"))
	require.Equal(t, `a\x1b\xffä b`, Printable("a\x1b\xffä b"))
}

func TestErrorsInOneLine(t *testing.T) {
	a, b := errors.New("no space left"), errors.New("cannot\nwrite")
	require.Equal(t, `cannot\nwrite`, OneLine(b), "its own line feed")
	require.Equal(t, "no space left; x: gone", OneLine(errors.Join(a, fmt.Errorf("x: %w", errors.New("gone")), a)))
	require.Equal(t, "job: a; b", OneLine(fmt.Errorf("job: %w", errors.Join(errors.New("a"), errors.New("b")))))
}

func TestCount(t *testing.T) {
	require.Equal(t, "0 records", Count(0, "record"))
	require.Equal(t, "1 record", Count(int64(1), "record"))
	require.Equal(t, "2 good replicas", Count(2, "good replica"))
}
