package state

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// For an invalid record of the log, Open's error has its number. Valid records set the saved state.
func TestStrangeRecordsAreRefused(t *testing.T) {
	open := func() *Dir {
		s := &Dir{dir: "DIR"}
		s.saved.Succeeded, s.saved.Cuts = map[string]Succeeded{}, map[string]uint64{}
		return s
	}
	for _, bad := range []string{"", "x{}", "s{", "k{", "k[]"} {
		err := open().readEntries([][]byte{[]byte("c"), []byte(bad)})
		require.ErrorContains(t, err, "DIR: record 2: ", "%q", bad)
	}
	s := open()
	require.NoError(t, s.readEntries([][]byte{
		[]byte(`k{"Key":"a","Sum":5}`), []byte(`k{"Key":"b","Sum":6}`), []byte("c{}"), []byte(`s{"Key":"a","How":{"Name":"n"}}`),
	}))
	require.Equal(t, map[string]uint64{"b": 6}, s.saved.Cuts)
	require.Equal(t, map[string]Succeeded{"a": {Name: "n"}}, s.saved.Succeeded)
}

// Arbitrary snapshots and records are an error, or give a Dir whose own snapshot can be read and
// gives the same state.
func FuzzSnapshots(f *testing.F) {
	policy, err := scheduling.Preset("fifo")
	require.NoError(f, err)
	one := saved{
		ID: "id", About: json.RawMessage(`"x"`), Policy: &policy,
		Succeeded: map[string]Succeeded{"a": {Name: "n", Elapsed: 1}}, Cuts: map[string]uint64{"b": 7},
		Skips: map[string]map[int32][]cluster.Skipped{"b": {1: {{Input: "in", Offset: 3, Reason: "r"}}}},
	}
	text, err := json.Marshal(&one)
	require.NoError(f, err)
	f.Add(text, []byte(`s{"Key":"b","How":{"Name":"x"}}`+"\n"+`k{"Key":"c","Sum":3}`+"\n"+`b{"Key":"c","Map":2,"List":[{"input":"in"}]}`))
	f.Add(text, []byte(`c{"op":"join","node":0,"spec":{"Name":"a","MapSlots":1}}`))
	f.Add([]byte(`{}`), []byte(`s{"Key":"b"}`))
	f.Fuzz(func(t *testing.T, snapshot, lines []byte) {
		if len(snapshot)+len(lines) > 4000 {
			return
		}
		fresh := func() *Dir { return &Dir{awaited: map[string]scheduling.JobID{}} }
		s := fresh()
		var records [][]byte
		if len(lines) > 0 {
			records = bytes.Split(lines, []byte("\n"))
		}
		if s.read(scheduling.Parts{}, snapshot, records) != nil {
			return
		}
		s.saved.State = s.durable
		again, err := json.Marshal(&s.saved)
		require.NoError(t, err)
		u := fresh()
		require.NoError(t, u.read(scheduling.Parts{}, again, nil))
		require.Equal(t, s.saved.Succeeded, u.saved.Succeeded)
		require.Equal(t, s.saved.Cuts, u.saved.Cuts)
		require.Equal(t, s.awaited, u.awaited)
	})
}
