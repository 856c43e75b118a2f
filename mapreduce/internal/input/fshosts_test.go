package input

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/dfs/stores/storetest"
)

// A file's range has as hosts those that store at least half of its bytes.
func TestHostsHoldHalf(t *testing.T) {
	places := []stores.Place{
		{Offset: 0, Length: 10, Hosts: []string{"a", "b"}},
		{Offset: 10, Length: 10, Hosts: []string{"b", "c"}},
		{Offset: 20, Length: 5, Hosts: []string{"d"}},
	}
	require.Equal(t, []string{"a", "b"}, hostsOf(places, 0, 10))
	require.Equal(t, []string{"b", "a", "c"}, hostsOf(places, 0, 20), "two blocks of theirs are one of ours")
	require.Equal(t, []string{"b", "c"}, hostsOf(places, 12, 10))
	require.Equal(t, []string{"d"}, hostsOf(places, 20, 5))
	require.Empty(t, hostsOf(places, 25, 10))
	require.Empty(t, hostsOf(nil, 0, 10))
}

// tellingStore is a store with these places of its files, and counts how often it is asked.
type tellingStore struct {
	*storetest.Dir
	places map[string][]stores.Place
	asked  int
}

func (l *tellingStore) Places(name string) ([]stores.Place, error) {
	l.asked++
	if list := l.places[name]; list != nil {
		return list, nil
	}
	return nil, errors.New("not now")
}

// A file of a store has the hosts that the store returns; it is asked once per file. A file is read
// even if the store does not know its hosts.
func TestFilesOfAStoreKnowTheirHosts(t *testing.T) {
	store := &tellingStore{
		Dir:    &storetest.Dir{Root: t.TempDir()},
		places: map[string][]stores.Place{"known": {{Offset: 0, Length: 4, Hosts: []string{"one"}}, {Offset: 4, Length: 4, Hosts: []string{"two"}}}},
	}
	stores.Register("located", func(string) (stores.Store, error) { return store, nil })
	for _, name := range []string{"known", "unknown"} {
		require.NoError(t, store.CreateNew(name, []byte("1234567\n")))
	}
	sources, err := Files("located://here/known", "located://here/unknown")
	require.NoError(t, err)
	known, unknown := sources[0].Data.(dfs.Located), sources[1].Data.(dfs.Located)
	require.Equal(t, []string{"one"}, known.Hosts(0, 4))
	require.Equal(t, []string{"two"}, known.Hosts(4, 4))
	require.Equal(t, 1, store.asked)
	require.Empty(t, unknown.Hosts(0, 4))
}

// A zip archive in a store is an error, since it would be read as text.
func TestArchiveInAStore(t *testing.T) {
	store := &storetest.Dir{Root: t.TempDir()}
	stores.Register("archives", func(string) (stores.Store, error) { return store, nil })
	require.NoError(t, store.CreateNew("logs.ZIP", []byte("PK")))
	_, err := Files("archives://here/logs.ZIP")
	require.ErrorContains(t, err, "archives://here/logs.ZIP: zip archives are read from files of this machine")
}

// xzWindow returns the window of an xz file from its first block's header, or 0 if that is cut off.
func TestWindowOfXZ(t *testing.T) {
	window := func(text string) func(n int) int64 {
		b, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		return func(n int) int64 { return xzWindow(bufio.NewReader(bytes.NewReader(b[:min(n, len(b))]))) }
	}
	hello := window("/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQALaGVsbG8Kd29ybGQKAIfGznfORiuuAAEkDKYY2NgftvN9AQAAAAAEWVo=")
	require.EqualValues(t, 8<<20, hello(1<<10))
	for n := range 100 {
		require.Contains(t, []int64{0, 8 << 20}, hello(n))
	}
	require.Zero(t, window("/Td6WFoAAATm1rRGAAAAABzfRCEftvN9AQAAAAAEWVo=")(1<<10), "an empty file")
}
