package codec

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSharesBytes(t *testing.T) {
	require.False(t, SharesBytes(reflect.TypeFor[struct{ N []int32 }]()))
	require.False(t, SharesBytes(reflect.TypeFor[[]string]()))
	for _, shares := range []reflect.Type{
		reflect.TypeFor[[]byte](), reflect.TypeFor[[2][]byte](), reflect.TypeFor[[][]byte](),
		reflect.TypeFor[struct {
			N int
			B []byte
		}](), reflect.TypeFor[time.Time](),
	} {
		require.True(t, SharesBytes(shares), shares)
	}
}
