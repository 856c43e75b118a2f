package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
)

// FuzzBodies sends arbitrary bodies to the calls of the API. The server answers with success or a
// client error (4xx), never with a server error.
func FuzzBodies(f *testing.F) {
	few := standardLimits
	few.unfinished = 1
	s, err := Start(Config{
		Cluster: actors.Config{Nodes: 2}, Jobs: []Job{Simple("count", "Count words", count)},
		Roots: []string{f.TempDir()}, limits: few,
	})
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, s.Close()) })
	paths := []string{
		"/jobs", "/jobs/1/kill", "/jobs/1/priority", "/jobs/1/pool", "/nodes/node-00/cordon", "/policy", "/policy/reload",
	}
	for i, body := range []string{
		`{"job":"count","args":["in.txt","-o","out"],"directory":"/"}`, `{"job":"count","args":["-r","x","--","in","-o","dfs:x"],"priority":"high"}`,
		`{"reason":"x"}`, `{"priority":"low"}`, `{"pool":"p"}`, `{"policy":"scheduler: fifo\n"}`, `null`, `{}`, ``, `[[[`,
	} {
		f.Add(uint8(i), []byte(body))
	}
	handler := s.handler
	f.Fuzz(func(t *testing.T, path uint8, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+prefix+paths[int(path)%len(paths)], bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Less(t, w.Code, 500, w.Body)
		text, err := io.ReadAll(w.Body)
		require.NoError(t, err)
		require.True(t, len(text) == 0 || json.Valid(text), "%s", text)
	})
}

// FuzzRecords reads arbitrary journals: the result is an error, or a ledger that is unchanged after
// a write and a read.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"Next":3,"Jobs":[{"ID":1,"Asked":{"job":"count"}}]}`),
		[]byte(`{"Jobs":[{"ID":3}]}`+"\n"+`{"Jobs":[{"ID":3,"Kill":{}}]}`+"\n"+`{"Jobs":[{"ID":1,"End":{"state":"failed"}},{"ID":7,"Kill":{}}]}`))
	f.Add([]byte(`{"Files":{}}`), []byte(`{"Next":1}`))
	f.Fuzz(func(t *testing.T, text, lines []byte) {
		l, again := newLedger(t.Context(), &Config{}), newLedger(t.Context(), &Config{})
		if l.replay(append([][]byte{text}, bytes.Split(lines, []byte("\n"))...)) != nil {
			return
		}
		once, err := json.Marshal(l.snapshot())
		require.NoError(t, err)
		require.NoError(t, again.replay([][]byte{once}))
		twice, err := json.Marshal(again.snapshot())
		require.NoError(t, err)
		require.Equal(t, string(once), string(twice))
	})
}
