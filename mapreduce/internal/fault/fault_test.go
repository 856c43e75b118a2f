package fault

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// CutText does not change a text up to the limit. It cuts a longer one between two characters and
// adds its length.
func TestCutTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching("[aé漢]{0,12}").Draw(t, "text")
		n := rapid.IntRange(0, 40).Draw(t, "n")
		got := CutText(text, n)
		if len(text) <= n {
			require.Equal(t, text, got)
			return
		}
		head, size, ok := strings.Cut(got, "…")
		require.True(t, ok)
		require.Equal(t, fmt.Sprintf(" (%d bytes)", len(text)), size)
		require.True(t, strings.HasPrefix(text, head))
		require.True(t, utf8.ValidString(head))
		require.LessOrEqual(t, len(head), n)
		require.Greater(t, len(head)+utf8.UTFMax, n, "no more is left out than one letter")
	})
}

// Present does not change an error of up to 512 bytes. A longer one is cut and still wraps the
// original. The error of an ended context is added only once.
func TestErrorsAreShortened(t *testing.T) {
	for _, n := range []int{1, LongestText, LongestText + 1} {
		was := errors.New(strings.Repeat("x", n))
		err := was
		Present(context.Background(), &err)
		require.ErrorIs(t, err, was)
		require.Equal(t, n <= LongestText, err == was) //nolint:errorlint // whether it is itself
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	err := fmt.Errorf("reading: %w", cause)
	Present(ctx, &err)
	require.NotErrorIs(t, err, context.Canceled)
	cancel(cause)
	Present(ctx, &err)
	require.Equal(t, "context canceled: reading: enough", err.Error())
	Present(ctx, &err)
	require.Equal(t, "context canceled: reading: enough", err.Error())
	other := errors.New("another fault")
	Present(ctx, &other)
	require.Equal(t, "another fault", other.Error())
}

// isStandard and ofEngine recognize the library's and the engine's code, but not the engine's
// tests.
func TestUserCodeIsRecognized(t *testing.T) {
	require.True(t, isStandard("/usr/lib/go/src/fmt/print.go", "/usr/lib/go/src/"))
	require.False(t, isStandard("/home/ann/words/count.go", "/usr/lib/go/src/"))
	require.True(t, isStandard("fmt/print.go", ""), "built with -trimpath")
	require.False(t, isStandard("example.com/words/count.go", ""))
	for name, want := range map[string]bool{
		"github.com/tarry-mr/tarry/mapreduce.RunLocal":           true,
		"github.com/tarry-mr/tarry/mapreduce/internal/scan.Line": true,
		"github.com/tarry-mr/tarry/actors.Run":                   true,
		"github.com/tarry-mr/tarry/actors/worker.Main":           true,
		"github.com/tarry-mr/tarry/actors/worker/enginetest.Run": false,
		"github.com/tarry-mr/tarry/dfs.New":                      true,
		"github.com/tarry-mr/tarry/scheduling.NewCore":           true,
		"github.com/tarry-mr/tarry/jobs.WordCount":               false,
		"github.com/tarry-mr/tarry/mapreducer.Run":               false,
		"example.com/words.Count":                                false,
	} {
		require.Equal(t, want, ofEngine(name, "/src/file.go"), name)
		require.False(t, ofEngine(name, "/src/file_test.go"), name)
	}
}

func TestStackPlace(t *testing.T) {
	var once sync.Once
	var place string
	once.Do(func() {
		buf := make([]byte, 64<<10)
		place = StackPlace(string(buf[:runtime.Stack(buf, false)]))
	})
	require.Regexp(t, `^fault/fault_test\.go:\d+$`, place, "a test is user code")

	const stack = `goroutine 7 [chan receive, 10 minutes]:
github.com/tarry-mr/tarry/mapreduce.(*boundJob[...]).mapFile(0xc000)
	/src/tarry/mapreduce/maptask.go:70 +0x1d
acme.com/words.(*counter).Map(0xc00001, {0x1, 0x2})
	/src/acme/words/count.go:17 +0x1d
created by github.com/tarry-mr/tarry/actors.(*slot).launch in goroutine 3
	/src/tarry/actors/slot.go:70 +0x1d
`
	require.Equal(t, "words/count.go:17", StackPlace(stack))
	require.Empty(t, StackPlace(strings.ReplaceAll(stack, "acme.com/words", "github.com/tarry-mr/tarry/dfs")))
	require.Empty(t, StackPlace(""))
	require.Empty(t, StackPlace("goroutine 7 [running]:\nx\n"))
}
