package eventlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
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
		_, err = Copy(io.Discard, strings.NewReader(in))
		require.ErrorContains(t, err, want)
	}
}

// Events are copied as lines of the one form, and those of many parts in order; what reads them keeps
// no part of another, though their memory is used again.
func TestCopy(t *testing.T) {
	var in, want strings.Builder
	for i := range 20_000 {
		e := actors.Event{Event: event.Event{At: time.Duration(i), Type: event.Launched, Node: scheduling.NodeID(i % 7)}}
		switch i % 3 {
		case 0:
			e.Name, e.Shares = "plain", [2]float64{1.5, 0}
		case 1:
			e.Name, e.Output = "ö <b>", []int64{int64(i)} // not read the fast way
		default:
			in.WriteString(" \n")
		}
		line := e.AppendJSON(nil)
		fmt.Fprintf(&want, "%s\n", line)
		if i%2 == 0 {
			line = []byte(strings.Replace(string(line), ":", ": ", 1))
		}
		fmt.Fprintf(&in, "%s\n", line)
	}
	var out strings.Builder
	n, err := Copy(&out, strings.NewReader(in.String()))
	require.NoError(t, err)
	require.Equal(t, 20_000, n)
	require.Equal(t, want.String(), out.String())
	var again []byte
	require.NoError(t, Read(strings.NewReader(in.String()), func(e *actors.Event) error {
		again = append(e.AppendJSON(again), '\n')
		return nil
	}))
	require.Equal(t, want.String(), string(again))
}

// FuzzRead reads any bytes: an error with a line or events that can be written and read again, and
// never a crash.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"at":3,"type":"launched","attempt":"job_0001_m_000003_0","node":2,"locality":"node-local","reason":{"cause":"local to its data"}}`))
	f.Add([]byte(`{"type":"skipped","job":1,"kind":1,"node":-1,"until":9,"placed":{"center":"a","at_center":1,"here":2}}`))
	f.Add([]byte("\x28\xb5\x2f\xfd\x04\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		jobs := NewSummary()
		var again bytes.Buffer
		n := 0
		_ = Read(bytes.NewReader(data), func(e *actors.Event) error {
			n++
			require.NotEmpty(t, Line(e))
			jobs.Add(e)
			return json.NewEncoder(&again).Encode(e)
		})
		require.NoError(t, jobs.Print(&bytes.Buffer{}))
		require.NoError(t, Read(&again, func(*actors.Event) error { n--; return nil }))
		require.Zero(t, n)
		var copied bytes.Buffer
		if n, err := Copy(&copied, bytes.NewReader(data)); err == nil {
			require.NoError(t, Read(&copied, func(*actors.Event) error { n--; return nil }))
			require.Zero(t, n)
		}
	})
}
