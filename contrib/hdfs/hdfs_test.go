package hdfs

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/colinmarc/hdfs/v2"
	"github.com/colinmarc/hdfs/v2/hadoopconf"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/dfs/stores/storetest"
	"github.com/tarry-mr/tarry/jobs"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

// cluster returns the HDFS host that engines/test.sh has started, and the name of a new directory.
func cluster(t *testing.T) (host, dir string) {
	if host = os.Getenv("TARRY_TEST_HDFS"); host == "" {
		t.Skip("TARRY_TEST_HDFS is not set: HDFS is not tested")
	}
	return host, fmt.Sprintf("tarry-%d-%d", os.Getpid(), rand.Uint32())
}

func TestStore(t *testing.T) {
	host, dir := cluster(t)
	s, err := New(host, os.Getenv)
	require.NoError(t, err)
	storetest.Run(t, s, dir+"/b")
	require.NoError(t, s.RemoveAll(dir))
}

// If a file is replaced after Open, reading it is an error rather than the new content.
func TestReplaced(t *testing.T) {
	host, dir := cluster(t)
	s, err := New(host, os.Getenv)
	require.NoError(t, err)
	require.NoError(t, stores.WriteFile(s, dir+"/a", []byte("first")))
	f, err := s.Open(dir + "/a")
	require.NoError(t, err)
	require.NoError(t, stores.WriteFile(s, dir+"/a", []byte("other")))
	_, err = f.Read(make([]byte, 5))
	require.ErrorContains(t, err, "another file has taken its place")
	require.NoError(t, f.Close())
	require.NoError(t, s.RemoveAll(dir))
}

// Places returns the hosts that WebHDFS reports for each block of a file.
func TestPlaces(t *testing.T) {
	host, dir := cluster(t)
	s, err := New(host, os.Getenv)
	require.NoError(t, err)
	data := bytes.Repeat([]byte("0123456789abcdef"), 3<<16)
	require.NoError(t, stores.WriteFile(s, dir+"/a b", data))
	places, err := s.(stores.Located).Places(dir + "/a b")
	require.NoError(t, err)
	at := int64(0)
	for _, p := range places {
		require.Equal(t, at, p.Offset)
		require.NotEmpty(t, p.Hosts)
		at += p.Length
	}
	require.Equal(t, int64(len(data)), at)
	_, err = s.(stores.Located).Places(dir + "/none")
	require.ErrorContains(t, err, "none")
	require.NoError(t, s.RemoveAll(dir))
}

// If the name node closes the connection, as it does without a ticket, the error names Kerberos.
func TestDropped(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.(*net.TCPConn).SetLinger(0) // Close resets the connection
			_ = c.Close()
		}
	}()
	s, err := New(l.Addr().String(), func(string) string { return "" })
	if err == nil { // New may return before the connection is closed
		_, err = s.Stat("a")
	}
	require.ErrorContains(t, err, "HADOOP_CONF_DIR must ask for Kerberos")
	require.NotContains(t, err.Error(), "\n")
	require.NoError(t, l.Close())
	<-done
}

// Without a server, with one that does not answer, or without a ticket, the error is one line.
func TestNoCluster(t *testing.T) {
	none := func(string) string { return "" }
	_, err := New("", none)
	require.ErrorContains(t, err, "set HADOOP_CONF_DIR")
	_, err = New("127.0.0.1:1", none)
	require.ErrorContains(t, err, "connection refused")
	require.NotContains(t, err.Error(), "\n")
	conf := t.TempDir()
	require.NoError(t, os.WriteFile(conf+"/core-site.xml", []byte(`<configuration><property><name>hadoop.security.authentication</name>
<value>kerberos</value></property></configuration>`), 0o600))
	krb := conf + "/krb5.conf"
	require.NoError(t, os.WriteFile(krb, []byte("[libdefaults]\n"), 0o600))
	for _, c := range [][]string{
		{conf + "/none", "", "the configuration of Kerberos: "},
		{krb, "KEYRING:persistent:0", "KEYRING:persistent:0 cannot be read: want KRB5CCNAME=FILE:PATH"},
		{krb, "FILE:" + conf + "/ticket", "no Kerberos ticket, which kinit gets: open " + conf + "/ticket"},
	} {
		set := map[string]string{"HADOOP_CONF_DIR": conf, "KRB5_CONFIG": c[0], "KRB5CCNAME": c[1]}
		_, err = New("127.0.0.1:1", func(name string) string { return set[name] })
		require.ErrorContains(t, err, c[2])
	}
}

// With the store's Root as host, a process without configuration finds the same servers and user.
func TestRoot(t *testing.T) {
	conf := hadoopconf.HadoopConf{"dfs.ha.namenodes.books": "a,b"}
	configured := hdfs.ClientOptions{Addresses: []string{"nn1:8020", "nn2:8020"}}
	ada := func(name string) string { return map[string]string{"HADOOP_USER_NAME": "ada"}[name] }
	for host, want := range map[string]string{
		"": "nn1:8020,nn2:8020", "books": "nn1:8020,nn2:8020", "other": "other:8020", "other:9000": "other:9000",
	} {
		o := configured
		require.NoError(t, address(&o, conf, host, ada))
		root := "ada@" + strings.Join(o.Addresses, ",")
		require.Equal(t, "ada@"+want, root)
		var again hdfs.ClientOptions
		require.NoError(t, address(&again, nil, root, func(string) string { return "" }))
		require.Equal(t, o, again)
	}
}

// A job in one process reads its input from HDFS and writes its output there.
func TestJob(t *testing.T) {
	host, dir := cluster(t)
	root := "hdfs://" + host + "/" + dir
	s, _, err := stores.Open(root)
	require.NoError(t, err)
	require.NoError(t, stores.WriteFile(s, dir+"/in/a.txt", []byte(strings.Repeat("one two\n", 1000))))
	require.NoError(t, stores.WriteFile(s, dir+"/in/b.txt", []byte("three\n")))
	for _, to := range []mr.Destination{mr.Dir(root + "/out"), mr.ReplacedDir(root + "/out")} {
		src, err := mr.Files(root + "/in/*.txt")
		require.NoError(t, err)
		job := jobs.WordCount()
		job.Reducers = 2
		p, err := job.Bind(mr.Lines(src...), mr.Text[jobs.Count](to))
		require.NoError(t, err)
		_, err = mr.RunLocal(t.Context(), p, mr.LocalOptions{})
		require.NoError(t, err)
		list, err := s.ReadDir(dir + "/out")
		require.NoError(t, err)
		require.Len(t, list, 3)
		text := ""
		for _, e := range list {
			b, err := fs.ReadFile(s, dir+"/out/"+e.Name())
			require.NoError(t, err)
			text += string(b)
		}
		require.ElementsMatch(t, []string{"one\t1000", "three\t1", "two\t1000", ""}, strings.Split(text, "\n"))
	}
	require.NoError(t, s.RemoveAll(dir))
}

// The tarry command reads and writes HDFS in this process, in several, and on YARN.
func TestCommands(t *testing.T) {
	host, dir := cluster(t)
	s, err := New(host, os.Getenv)
	require.NoError(t, err)
	storetest.Commands(t, s, "hdfs://"+host+"/"+dir, "../..", []string{"$TARRY_TEST_YARN"})
}

// refusal is an error as the HDFS client returns it for a Java exception of the name node.
type refusal struct{ exception, message string }

func (r refusal) Error() string     { return r.message }
func (r refusal) Method() string    { return "addBlock" }
func (r refusal) Desc() string      { return "" }
func (r refusal) Exception() string { return r.exception }
func (r refusal) Message() string   { return r.message }

// earlyWriter accepts 3 bytes per Write, and then fails with the next of errors.
type earlyWriter struct {
	got    []byte
	errors []error
}

func (w *earlyWriter) Write(b []byte) (int, error) {
	n := min(3, len(b))
	if w.got = append(w.got, b[:n]...); len(w.errors) == 0 {
		return n, nil
	}
	err := w.errors[0]
	w.errors = w.errors[1:]
	return n, &fs.PathError{Op: "create", Path: "f", Err: err}
}

// At the end of a block, write retries until the name node knows that the block is stored.
func TestWriteWaitsForTheNameNode(t *testing.T) {
	early := refusal{"org.apache.hadoop.hdfs.server.namenode.NotReplicatedYetException", "Not replicated yet: /f"}
	unnamed := refusal{"java.io.IOException", "Cannot allocate block in /f: passed 'previous' block null does not match"}
	full := refusal{"org.apache.hadoop.hdfs.protocol.DSQuotaExceededException", "The DiskSpace quota of / is exceeded"}
	synctest.Test(t, func(t *testing.T) {
		w := &earlyWriter{errors: []error{early, unnamed}}
		require.NoError(t, write(w, []byte("0123456")))
		require.Equal(t, "0123456", string(w.got))
		require.ErrorIs(t, write(&earlyWriter{errors: []error{early, full}}, []byte("0123456")), full)
		begun := time.Now()
		require.ErrorIs(t, write(&earlyWriter{errors: slices.Repeat([]error{early}, 99)}, []byte("0")), early)
		require.Less(t, time.Since(begun), 2*answerTimeout+time.Second)
	})
}
