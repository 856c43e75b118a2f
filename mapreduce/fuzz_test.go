package mapreduce

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// FuzzReadTyped reads arbitrary bytes as the output of Typed: it gets records or an error, the same
// wherever windows end.
func FuzzReadTyped(f *testing.F) {
	data := must(os.ReadFile(typedOf(f, []visit{{"ann", 1}, {"bob", -1}}, NoCompression)))(f)
	f.Add(data)
	f.Add(data[:len(data)-1])
	f.Add([]byte("\x02hi"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2000 {
			return
		}
		list, err := recordsOf(t, ReadTyped[visit](Bytes("f", data)), read.UsualWindows(), 1<<20)
		small, errSmall := recordsOf(t, ReadTyped[visit](Bytes("f", data)), tiny(3, 2, 7), 1<<20)
		require.Equal(t, err == nil, errSmall == nil, "%v, %v", err, errSmall)
		if err == nil {
			require.Equal(t, list, small)
		}
	})
}

// FuzzCounters reads arbitrary JSON as counters: it gets an error, or counters that survive writing
// and reading.
func FuzzCounters(f *testing.F) {
	f.Add([]byte(`[{"group":"g","name":"n","value":3},{"group":"g","name":"n","value":-3}]`))
	f.Add([]byte(`[{"group":"Map-Reduce Framework","name":"Map input records","value":9223372036854775807}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c, again counter.Set
		if json.Unmarshal(data, &c) != nil {
			return
		}
		once := must(json.Marshal(&c))(t)
		require.NoError(t, json.Unmarshal(once, &again))
		require.Equal(t, string(once), string(must(json.Marshal(&again))(t)))
	})
}
