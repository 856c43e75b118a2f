package eventlog

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
)

// drawEvent draws an event with any of the fields that simulations tell.
func drawEvent(t *rapid.T) actors.Event {
	small := rapid.IntRange(0, 1000)
	text := rapid.StringMatching(`[a-z-]{0,5}`)
	if rapid.Bool().Draw(t, "letters that need care?") {
		text = rapid.StringMatching(`[a-z<&é"-]{0,5}`)
	}
	pair := func(name string) [2]int {
		return [2]int{rapid.IntRange(-1, 9).Draw(t, name), rapid.IntRange(-1, 9).Draw(t, name)}
	}
	e := scheduling.Event{
		At:   time.Duration(rapid.Int64().Draw(t, "at")),
		Type: rapid.SampledFrom([]scheduling.EventType{scheduling.EventLaunched, scheduling.EventSkipped, scheduling.EventShares}).Draw(t, "type"),
		Node: scheduling.NodeID(rapid.IntRange(-1, 9).Draw(t, "node")), NodeName: text.Draw(t, "node name"),
		JobID: scheduling.JobID(small.Draw(t, "job")), Kind: scheduling.TaskKind(rapid.IntRange(0, 1).Draw(t, "kind")),
		Until: time.Duration(small.Draw(t, "until")), Slot: small.Draw(t, "slot"), Count: small.Draw(t, "count"),
		Progress: rapid.Float64Range(0, 1).Draw(t, "progress"), Name: text.Draw(t, "name"), Pool: text.Draw(t, "pool"),
		Slots: pair("slots"), Max: pair("max"), Bytes: int64(small.Draw(t, "bytes")), State: text.Draw(t, "state"),
		Shares: [2]float64{rapid.Float64Range(0, 1e9).Draw(t, "share"), 1.5},
	}
	if rapid.Bool().Draw(t, "attempt?") {
		e.Attempt = scheduling.AttemptID{Task: scheduling.TaskID{Job: 3, Kind: e.Kind, Index: int32(small.Draw(t, "task"))}}
	}
	if rapid.Bool().Draw(t, "reason?") {
		e.Reason = scheduling.Reason{Cause: scheduling.CauseGravityWait, Wait: e.Until, Count: 7}
	}
	all := actors.Event{Event: e}
	if rapid.Bool().Draw(t, "live?") {
		long := rapid.Custom(func(t *rapid.T) time.Duration { return time.Duration(rapid.Int64().Draw(t, "ns")) })
		all.Output = rapid.SliceOf(rapid.Int64()).Draw(t, "output")
		all.Phases = &actors.Phases{Start: long.Draw(t, "start"), Wait: long.Draw(t, "wait"), Work: long.Draw(t, "work")}
		counters := fresh(&all.Counters)
		for i := range rapid.IntRange(0, 3).Draw(t, "counters") {
			counters.AddNamed("Map-Reduce Framework", []string{"Map output records", "Map output bytes", "Spilled Records"}[i], rapid.Int64().Draw(t, "counted"))
			counters.AddNamed(text.Draw(t, "group"), text.Draw(t, "counter"), 7)
		}
	}
	return all
}

// What is decoded fast is what json.Unmarshal makes of it, also of lines in which anything was changed;
// and lines as they are written are decoded fast, but for letters that need care.
func TestDecodeFastIsUnmarshal(t *testing.T) {
	fast, slow := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		e := drawEvent(t)
		line := e.AppendJSON(nil)
		if rapid.Bool().Draw(t, "change?") {
			at := rapid.IntRange(0, len(line)-1).Draw(t, "where")
			switch with := rapid.SampledFrom([]string{"", "0", "-", ".", "1", `"`, ",", "{", "}", "]", " ", "e", "\\", "null", "é"}).Draw(t, "with"); {
			case rapid.Bool().Draw(t, "insert?"):
				line = append(line[:at:at], append([]byte(with), line[at:]...)...)
			default:
				line = append(line[:at:at], append([]byte(with), line[at+1:]...)...)
			}
		}
		var got, want actors.Event
		if !decodeFast(line, &got, map[string]string{}) {
			slow++
			return
		}
		fast++
		require.NoError(t, json.Unmarshal(line, &want), "%s", line)
		require.Equal(t, want, got, "%s", line)
	})
	require.Positive(t, fast)
	require.Positive(t, slow)
}

// The lines that large simulations have most of are decoded fast.
func TestDecodeFastDecodes(t *testing.T) {
	for _, line := range []string{
		`{"at":1000000000,"type":"launched","job":3,"attempt":"job_0003_m_000007_0","node":4,"node_name":"n00004","locality":"node-local","reason":{"cause":"local to its data"},"slot":2}`,
		`{"at":5,"type":"skipped","job":3,"node":-1,"reason":{"cause":"waiting for locality","wait":5,"count":1,"of":9},"until":7,"level":"node-local","count":4}`,
		`{"at":5,"type":"shares","node":-1,"pool":"a","shares":[1.25,0],"demand":[3,0],"max":[-1,0]}`,
		`{"at":-5,"type":"finished","job":3,"node":-1,"state":"succeeded"}`,
		`{"at":2425760,"type":"succeeded","job":1,"attempt":"job_0001_m_000001_0","node":3,"node_name":"node-03","locality":"node-local","bytes":13,"output":[13,0],"phases":{"start":2232581,"wait":20100,"work":168302},"counters":[{"group":"Map-Reduce Framework","name":"Map output records","value":33},{"group":"mine","name":"own","value":-1}]}`,
	} {
		var got, want actors.Event
		require.NoError(t, json.Unmarshal([]byte(line), &want))
		require.True(t, decodeFast([]byte(line), &got, map[string]string{}), line)
		require.Equal(t, want, got)
	}
}
