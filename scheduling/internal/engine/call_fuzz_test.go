package engine

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// recorded is the call log of a small run, with a policy that is switched.
func recorded(tb testing.TB, preset string) (core.Policy, string) {
	p, err := Preset(preset)
	require.NoError(tb, err)
	var log bytes.Buffer
	calls := core.NewCallWriter(&log)
	c, err := NewCore(core.Config{Calls: calls.Write}, p)
	require.NoError(tb, err)
	n, err := c.Join(0, core.Node{Name: "a", Rack: "r", MapSlots: 2, ReduceSlots: 1, Incarnation: 1})
	require.NoError(tb, err)
	far := c.NodeID("b")
	places := core.Places{Offsets: []int32{0, 1, 2}, Nodes: []core.NodeID{n, far}}
	_, err = c.Submit(0, core.JobSpec{Name: "j", User: "u", Maps: 2, Reduces: 1, Places: places})
	require.NoError(tb, err)
	var ended []core.Status
	for now := time.Second; now < time.Minute; now += 5 * time.Second {
		got, err := c.Heartbeat(now, core.Heartbeat{Node: n, Incarnation: 1, Seq: uint64(now), Statuses: ended})
		require.NoError(tb, err)
		ended = nil
		for _, o := range got.Actions {
			c.MayCommit(o.Attempt)
			ended = append(ended, core.Status{Attempt: o.Attempt, State: core.StateSucceeded, OutputBytes: []int64{5}})
		}
		require.NoError(tb, c.Update(now))
	}
	id, err := c.Submit(time.Minute, core.JobSpec{Maps: 1})
	require.NoError(tb, err)
	require.NoError(tb, c.SetPriority(time.Minute, id, core.High))
	_, err = c.Resume(time.Minute, 0, core.JobSpec{Maps: 2, Reduces: 2}, []int32{1})
	require.NoError(tb, err)
	to, err := Preset("hfsp")
	require.NoError(tb, err)
	require.NoError(tb, c.Reconfigure(time.Minute, to))
	require.NoError(tb, c.Cordon(time.Minute, n, true))
	require.NoError(tb, c.Kill(time.Minute, id))
	require.NoError(tb, c.Leave(time.Minute, n))
	require.NoError(tb, calls.Err())
	return p, log.String()
}

// TestMalformedLogs reads logs that no CallWriter has written.
func TestMalformedLogs(t *testing.T) {
	for op := range core.Op(20) {
		for _, rest := range []string{
			"", `,"node":-1`, `,"node":7`, `,"job":-1`, `,"job":9`, `,"at":-5`, `,"attempt":{"Task":{"Job":1,"Kind":9,"Index":-3}}`,
			`,"submit":{"Maps":1073741824}`, `,"submit":{"Maps":-1}`, `,"submit":{"Maps":1,"Places":{"Offsets":[0,5],"Nodes":[0]}}`,
			`,"join":{"Name":"x","MapSlots":9223372036854775807}`, `,"heartbeat":{"Node":-1}`, `,"policy":{"Order":"fifo","Locality":{"Rule":99}}`,
		} {
			p, err := Preset("hfs")
			require.NoError(t, err)
			c, err := NewCore(core.Config{}, p)
			require.NoError(t, err)
			log := fmt.Sprintf(`{"op":"%v"%s}`, op, rest)
			require.NotPanics(t, func() { _ = core.ReplayFrom(c, strings.NewReader(log)) }, log)
		}
	}
	for _, log := range []string{
		`{"op":"join"}`, `{"op":"submit"}`, `{"op":"heartbeat"}`, `{"op":"reconfigure"}`, `{"op":""}`, `{"op":"sing"}`, `{"op":2}`, `{`, `nonsense`,
		`{"op":"submit","submit":{"Maps":1073741824}}`,
	} {
		p, err := Preset("hfs")
		require.NoError(t, err)
		c, err := NewCore(core.Config{}, p)
		require.NoError(t, err)
		err = core.ReplayFrom(c, strings.NewReader(log))
		require.ErrorContains(t, err, "call 1", log)
	}
}

func FuzzReplay(f *testing.F) {
	for _, preset := range Presets() {
		_, log := recorded(f, preset)
		f.Add(preset, log)
	}
	f.Fuzz(func(t *testing.T, preset, log string) {
		p, err := Preset(preset)
		if err != nil {
			return
		}
		c, err := NewCore(core.Config{Explain: true, Events: func(core.Event) {}}, p)
		require.NoError(t, err)
		if err := core.ReplayFrom(c, strings.NewReader(log)); err == nil {
			checkInvariants(t, c)
		}
	})
}
