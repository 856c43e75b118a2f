package alike

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEqual(t *testing.T) {
	type inner struct{ x []float64 }
	type outer struct {
		N    int
		In   *inner
		Tags map[string][]byte
		Any  any
	}
	make1 := func(x float64) outer {
		return outer{N: 1, In: &inner{[]float64{x, math.NaN()}}, Tags: map[string][]byte{"a": []byte("b")}, Any: complex(x, 0)}
	}
	require.True(t, Equal(make1(1), make1(1), 0))
	require.False(t, Equal(make1(1), make1(1+1e-12), 0))
	require.True(t, Equal(make1(1), make1(1+1e-12), 1e-9))
	require.False(t, Equal(make1(1), make1(1.1), 1e-9))
	for name, change := range map[string]func(*outer){
		"number":           func(o *outer) { o.N = 2 },
		"nil pointer":      func(o *outer) { o.In = nil },
		"length":           func(o *outer) { o.In.x = o.In.x[:1] },
		"map's value":      func(o *outer) { o.Tags["a"][0] = 'c' },
		"map's key":        func(o *outer) { o.Tags = map[string][]byte{"b": []byte("b")} },
		"map's size":       func(o *outer) { o.Tags["b"] = nil },
		"dynamic type":     func(o *outer) { o.Any = 1.0 },
		"nil interface":    func(o *outer) { o.Any = nil },
		"infinite numbers": func(o *outer) { o.In.x[0] = math.Inf(1) },
	} {
		other := make1(1)
		change(&other)
		require.False(t, Equal(make1(1), other, 0.5), name)
	}
	require.True(t, Equal([]int{}, nil, 0))
	require.True(t, Equal(math.Inf(-1), math.Inf(-1), 0))
	require.False(t, Equal(math.Inf(-1), math.Inf(1), 0.5))
}
