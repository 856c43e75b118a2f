package hdfs

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/dfs/stores/storetest"
)

// A cluster in one process runs each map node-local. One of its four nodes represents the machine
// on which, by WebHDFS, the map's block is stored.
func TestPlacesAreFelt(t *testing.T) {
	host, dir := cluster(t)
	s, err := New(host, os.Getenv)
	require.NoError(t, err)
	const block = 1 << 20
	client := s.(*store).client
	require.NoError(t, client.MkdirAll(at(dir), 0o755))
	f, err := client.CreateFile(at(dir+"/book"), 1, block, 0o644) // on one machine each
	require.NoError(t, err)
	require.NoError(t, write(f, bytes.Repeat([]byte("one two three\n"), 16*block/14)))
	require.NoError(t, closed(f))
	places, err := s.(stores.Located).Places(dir + "/book")
	require.NoError(t, err)
	require.Len(t, places, 16)

	here := t.TempDir()
	cmd := exec.Command(storetest.Program(t, "../.."), "run", "wordcount", "hdfs://"+host+"/"+dir+"/book", "-o", filepath.Join(here, "out"),
		"--nodes", "4", "--replication", "1", "--block-size", "1MiB", "--wait", "1h", "--events", filepath.Join(here, "events.jsonl"))
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	require.Contains(t, string(text), "maps 16 node-local, 0 rack-local, 0 elsewhere")
	events, err := os.ReadFile(filepath.Join(here, "events.jsonl"))
	require.NoError(t, err)
	stands, launched := map[string]string{}, 0 // by machine: the node that represents it
	for line := range bytes.Lines(events) {
		var e struct {
			Type, Attempt string
			Node          string `json:"node_name"`
		}
		require.NoError(t, json.Unmarshal(line, &e))
		_, rest, ok := strings.Cut(e.Attempt, "_m_")
		if e.Type != "launched" || !ok {
			continue
		}
		n, err := strconv.Atoi(rest[:6])
		require.NoError(t, err)
		machine := places[n].Hosts[0]
		if stands[machine] == "" {
			stands[machine] = e.Node
		}
		require.Equal(t, stands[machine], e.Node, "the node of map %d, whose block is on %s", n, machine)
		launched++
	}
	require.Equal(t, 16, launched)
	require.Greater(t, len(stands), 1, "HDFS has put all blocks on one machine")
	require.Len(t, slices.Compact(slices.Sorted(maps.Values(stands))), len(stands), "a node that stands for two machines: %v", stands)
	require.NoError(t, s.RemoveAll(dir))
}
