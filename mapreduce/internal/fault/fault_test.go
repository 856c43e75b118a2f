package fault

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestCutTexts: a text up to the limit is unchanged; a longer one is cut between two letters, with
// its length.
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

// TestErrorsAreShortened: an error of up to 512 bytes is unchanged; a longer one is cut and still
// wraps the original. The end of a context is named once.
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

// TestUserCodeIsRecognized: which code a frame of a stack belongs to; the engine's tests count as
// users.
func TestUserCodeIsRecognized(t *testing.T) {
	require.True(t, Standard("/usr/lib/go/src/fmt/print.go", "/usr/lib/go/src/"))
	require.False(t, Standard("/home/ann/words/count.go", "/usr/lib/go/src/"))
	require.True(t, Standard("fmt/print.go", ""), "built with -trimpath")
	require.False(t, Standard("example.com/words/count.go", ""))
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
		require.Equal(t, want, OfEngine(runtime.Frame{Function: name, File: "/src/file.go"}), name)
		require.False(t, OfEngine(runtime.Frame{Function: name, File: "/src/file_test.go"}), name)
	}
}
