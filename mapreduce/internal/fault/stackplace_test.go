package fault

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStackPlace(t *testing.T) {
	var once sync.Once
	var place string
	once.Do(func() {
		buf := make([]byte, 64<<10)
		place = StackPlace(string(buf[:runtime.Stack(buf, false)]))
	})
	require.Regexp(t, `^fault/stackplace_test\.go:\d+$`, place, "a test is user code")

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
