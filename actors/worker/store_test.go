package worker

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/dfs/stores/storetest"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// The store test://HOST is the local folder whose path, in hexadecimal digits, is HOST.
func init() {
	stores.Register("test", func(host string) (stores.Store, error) {
		root, err := hex.DecodeString(host)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(filepath.Join(string(root), "secured")); err == nil {
			if b, err := os.ReadFile(strings.TrimPrefix(os.Getenv(ticketVariable), "FILE:")); err != nil || string(b) != "ticket" {
				return nil, fmt.Errorf("no ticket: %q, %w", b, err)
			}
		}
		store := &storetest.Dir{Root: string(root)}
		store.Lost = func(op, name string) error {
			if what := os.Getenv("TARRY_TEST_LOST"); IsWorker() && what != "" && strings.HasPrefix(op+" "+name, what) {
				return errors.New("connection refused")
			}
			return nil
		}
		return located{store}, nil
	})
}

// ticketVariable names the ticket file, which a store that has a file "secured" requires.
const ticketVariable = "TARRY_TEST_TICKET"

// withoutTicket removes the ticket from an environment, as on a host where the user has none.
func withoutTicket(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, ticketVariable+"=") })
}

// Ticket implements stores.Ticketed.
func (s located) Ticket() (variable, file string) {
	return ticketVariable, strings.TrimPrefix(os.Getenv(ticketVariable), "FILE:")
}

// located is a store whose file "a" is on this host, and whose other files are on other hosts.
type located struct{ *storetest.Dir }

func (s located) Places(name string) ([]stores.Place, error) {
	host, err := os.Hostname()
	if filepath.Base(name) != "a" {
		host = "elsewhere.invalid"
	}
	return []stores.Place{{Length: 1 << 40, Hosts: []string{host}}}, err
}

// testStore returns a new store with two books, its URL, and the URLs of the books.
func testStore(t *testing.T) (store *storetest.Dir, url string, books []string) {
	dir := t.TempDir()
	bookOf(t, dir, "a", 100_000)
	bookOf(t, dir, "b", 20_000)
	url = "test://" + hex.EncodeToString([]byte(dir))
	return &storetest.Dir{Root: dir}, url, []string{url + "/a", url + "/b"}
}

// onStore submits a job whose input and output are in a store.
func onStore(t *testing.T, name, url string, o Options, books []string) error {
	_, err := countedOnStore(t, name, url, o, books)
	return err
}

// countedOnStore is like onStore and also returns the job's counters.
func countedOnStore(t *testing.T, name, url string, o Options, books []string) (*counter.Set, error) {
	dir := t.TempDir()
	o.Args = append([]string{name, dir, url + "/out"}, books...)
	return Submit(t.Context(), planOf(t, name, dir, url+"/out", books), o)
}

// Processes that share only a store, with inputs and output, write the output of one process, also
// if some are killed.
func TestProcessesOnAStore(t *testing.T) {
	for _, name := range []string{"wordcount", "terasort", "routed", "grep", "floats", "kill map", "kill reduce"} {
		t.Run(name, func(t *testing.T) {
			store, url, books := testStore(t)
			if name == "terasort" {
				bookOf(t, store.Root, "a", 150_000)
				require.NoError(t, os.Truncate(filepath.Join(store.Root, "a"), 150_000))
				books = books[:1]
			}
			want, _ := wanted(t, name, 3, blockBytes, books)
			require.NoError(t, onStore(t, name, url, Options{On: "processes:3", Reduces: 3, BlockSize: blockBytes}, books))
			require.Equal(t, want, filesIn(t, filepath.Join(store.Root, "out")))
			require.Empty(t, store.Begun(), "parts of attempts that were killed go, too")
		})
	}
}

// Through the store, Submit gets a worker's error, also one of the store itself. No file remains.
func TestProcessesOnAStoreFail(t *testing.T) {
	store, url, books := testStore(t)
	var log bytes.Buffer
	err := onStore(t, "bad input", url, Options{On: "processes:2", Log: &log}, books)
	require.ErrorContains(t, err, "no number")
	require.NotContains(t, err.Error(), "\n")
	require.NoDirExists(t, filepath.Join(store.Root, "out"))
	require.Empty(t, store.Begun())
	for _, lost := range []string{"read a", "begin out/part", "write out/part", "open out/_temporary/run-"} {
		t.Setenv("TARRY_TEST_LOST", lost)
		err := onStore(t, "wordcount", url, Options{On: "processes:2", MaxAttempts: 2}, books)
		require.ErrorContains(t, err, "connection refused", lost)
		require.ErrorContains(t, err, url+"/", lost)
		require.NotContains(t, err.Error(), "\n", lost)
		require.NoDirExists(t, filepath.Join(store.Root, "out"))
		require.Empty(t, store.Begun())
	}
}
