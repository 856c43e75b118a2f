package worker

import (
	"archive/zip"
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// The counters count a map as data-local if it runs on a host that has its input.
func TestProcessesCountLocality(t *testing.T) {
	store, url, books := testStore(t) // book a is on this host
	const block = 10_000
	maps := func(book string) int64 {
		info, err := os.Stat(filepath.Join(store.Root, book))
		require.NoError(t, err)
		return (info.Size() + block - 1) / block
	}
	c, err := countedOnStore(t, "wordcount", url, Options{On: "processes:2", Reduces: 2, BlockSize: block}, books)
	require.NoError(t, err)
	require.Equal(t, maps("a"), c.Named(counter.GroupJob, "Data-local map tasks"))
	require.Equal(t, maps("b"), c.Named(counter.GroupJob, "Other local map tasks"))
}

// If splits have hosts, the job's own input format, in a jar, passes them to Hadoop. Otherwise the
// job uses Hadoop's format. Tasks get the submitter's ticket, which their hosts lack.
func TestHadoopPlacesMaps(t *testing.T) {
	inProcesses(t)
	store, _, books := testStore(t)
	require.NoError(t, os.WriteFile(filepath.Join(store.Root, "secured"), nil, 0o600))
	ticket := filepath.Join(t.TempDir(), "ticket")
	require.NoError(t, os.WriteFile(ticket, []byte("ticket"), 0o600))
	t.Setenv(ticketVariable, "FILE:"+ticket)
	here, err := os.Hostname()
	require.NoError(t, err)
	for _, c := range []struct {
		format string
		books  []string
		list   string
	}{
		{"tarry.HostedLines", books, here + "\t0\n" + here + "\t1\nelsewhere.invalid\t2\n"},
		{"org.apache.hadoop.mapred.lib.NLineInputFormat", []string{bookOf(t, t.TempDir(), "a", 1_000)}, "\t0\n"},
	} {
		playEngines(t)
		_, _, err = submit(t, "wordcount", Options{On: "yarn", Reduces: 2, BlockSize: 60_000}, c.books)
		require.NoError(t, err)
		require.Equal(t, c.list, strings.TrimSuffix(remembered("list"), "\n"))
		command := remembered("commands")
		require.Contains(t, command, "-inputformat "+c.format+" ")
		require.Equal(t, c.format == "tarry.HostedLines", strings.Contains(command, "-libjars file:///"))
	}
	class, err := zip.NewReader(bytes.NewReader(hostedJar), int64(len(hostedJar)))
	require.NoError(t, err)
	_, err = class.Open("tarry/HostedLines.class")
	require.NoError(t, err)
}

func TestIsThisHost(t *testing.T) {
	own, err := os.Hostname()
	require.NoError(t, err)
	for host, want := range map[string]bool{
		own: true, own + ".example.org": true, "127.0.0.1": true, "::1": hasIPv6(t),
		own + "2": false, "x" + own: false, "elsewhere.invalid": false, "192.0.2.1": false, "": false,
	} {
		require.Equal(t, want, isThisHost(host), "%q", host)
	}
}

func hasIPv6(t *testing.T) bool {
	list, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok && n.IP.Equal(net.IPv6loopback) {
			return true
		}
	}
	return false
}

// preferredHosts returns names and addresses of hosts, because an engine may know only addresses.
func TestPreferredHosts(t *testing.T) {
	require.Nil(t, preferredHosts(t.Context(), []cluster.Split{{}, {}}))
	list := preferredHosts(t.Context(), []cluster.Split{{Hosts: []string{"127.0.0.9", "localhost"}}, {}})
	require.Len(t, list, 2)
	require.Subset(t, list[0], []string{"localhost", "127.0.0.1", "127.0.0.9"})
	require.Equal(t, []string{}, list[1])
}
