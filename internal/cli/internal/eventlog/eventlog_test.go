package eventlog

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
)

func TestReadErrors(t *testing.T) {
	for in, want := range map[string]string{
		"{\"at\":1,\"type\":\"joined\",\"node\":0}\nno": "2: not an event: invalid character",
		"{\"at\":1}":                                "1: not an event: it has no type",
		"\n\n{\"type\":\"danced\"}":                 "3: not an event: scheduling: unknown event \"danced\"",
		strings.Repeat("x", maxLine+1):              "1: a line of more than",
		"\x28\xb5\x2f\xfd broken":                   "1: ",
		"{\"type\":\"failed\",\"attempt\":\"job\"}": "1: not an event: ",
	} {
		err := Read(strings.NewReader(in), func(*actors.Event) error { return nil })
		require.ErrorContains(t, err, want)
	}
}

// For any bytes, Read returns an error or events, and never panics. If the events before an error
// are written to a file, Read returns the same number of events from it.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"at":3,"type":"launched","attempt":"job_0001_m_000003_0","node":2,"locality":"node-local","reason":{"cause":"local to its data"}}`))
	f.Add([]byte(`{"type":"skipped","job":1,"kind":1,"node":-1,"until":9,"placed":{"center":"a","at_center":1,"here":2}}`))
	f.Add([]byte("\x28\xb5\x2f\xfd\x04\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var again bytes.Buffer
		n := 0
		_ = Read(bytes.NewReader(data), func(e *actors.Event) error {
			n++
			require.NotEmpty(t, Line(e))
			return json.NewEncoder(&again).Encode(e)
		})
		require.NoError(t, Read(&again, func(*actors.Event) error { n--; return nil }))
		require.Zero(t, n)
	})
}
