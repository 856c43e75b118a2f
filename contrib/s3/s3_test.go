package s3

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/dfs/stores/storetest"
	"github.com/tarry-mr/tarry/jobs"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

// server returns the S3 server in TARRY_TEST_S3, such as http://127.0.0.1:15000, and a new bucket.
// internal/tools/engines/test.sh starts servers; AWS's environment variables have the keys.
func server(t *testing.T) (endpoint, bucket string) {
	endpoint = os.Getenv("TARRY_TEST_S3")
	if endpoint == "" {
		t.Skip("TARRY_TEST_S3 is not set: S3 is not tested")
	}
	bucket = fmt.Sprintf("tarry-%d-%d", os.Getpid(), rand.Uint32())
	s := bucketAt(t, endpoint, bucket)
	require.NoError(t, s.core.MakeBucket(t.Context(), bucket, minio.MakeBucketOptions{}))
	return endpoint, bucket
}

func bucketAt(t *testing.T, endpoint, bucket string) *store {
	s, err := New(bucket, func(name string) string {
		return map[string]string{"AWS_ENDPOINT_URL": endpoint, "AWS_REGION": "us-east-1"}[name]
	})
	require.NoError(t, err)
	return s.(*store)
}

func TestStore(t *testing.T) {
	endpoint, bucket := server(t)
	s := bucketAt(t, endpoint, bucket)
	storetest.Run(t, s, "a/b")
	_, err := s.Stat(".")
	require.NoError(t, err)
	_, err = s.ReadDir(".")
	require.NoError(t, err)
}

// A second Complete of an upload succeeds. A dropped upload does not replace the completed one.
func TestCompletedTwice(t *testing.T) {
	endpoint, bucket := server(t)
	s := bucketAt(t, endpoint, bucket)
	p, err := s.Begin("out/part", "m-0")
	require.NoError(t, err)
	_, err = io.WriteString(p, "text")
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.NoError(t, s.Complete("out/part", p.Receipt()))
	require.NoError(t, s.Complete("out/part", p.Receipt()))
	other, err := s.Begin("out/part", "m-1")
	require.NoError(t, err)
	_, err = io.WriteString(other, "more")
	require.NoError(t, err)
	require.NoError(t, other.Close())
	require.NoError(t, other.Abort())
	if err := s.Complete("out/part", other.Receipt()); err == nil { // versitygw succeeds, since an object with that name exists
		t.Log("the server says that an upload is completed that was dropped")
	}
	got, err := fs.ReadFile(s, "out/part")
	require.NoError(t, err)
	require.Equal(t, "text", string(got))
}

func TestPieceSize(t *testing.T) {
	total := int64(0)
	for n := 1; n <= 10_000; n++ {
		require.LessOrEqual(t, pieceSize(n), 5<<30)
		total += int64(pieceSize(n))
	}
	require.Greater(t, total, int64(3e12))
	require.Equal(t, 16<<20, pieceSize(2500))
	require.Equal(t, 64<<20, pieceSize(2501))
}

// faulty is a proxy for the S3 server that breaks a connection once it has passed on `after` bytes
// of answers.
type faulty struct {
	net.Listener
	server string
	after  atomic.Int64 // bytes of answers until it breaks the connection; negative: never
	breaks atomic.Int64
}

func newFaulty(t *testing.T, endpoint string) *faulty {
	at, err := url.Parse(endpoint)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &faulty{Listener: l, server: at.Host}
	f.after.Store(-1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go f.carry(c)
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	return f
}

func (f *faulty) carry(c net.Conn) {
	defer c.Close()
	s, err := net.Dial("tcp", f.server)
	if err != nil {
		return
	}
	defer s.Close()
	go func() {
		_, _ = io.Copy(s, c)
		_ = s.Close()
	}()
	b := make([]byte, 32<<10)
	for {
		n, err := s.Read(b)
		if left := f.after.Load(); left >= 0 && f.after.Add(int64(-n)) < 0 {
			f.after.Store(-1)
			f.breaks.Add(1)
			_, _ = c.Write(b[:min(left, int64(n))])
			return
		}
		if _, bad := c.Write(b[:n]); err != nil || bad != nil {
			return
		}
	}
}

// The store reconnects if a connection breaks during a read or write. If the server stays
// unreachable, the error is one line with the file's name.
func TestConnectionBreaks(t *testing.T) {
	endpoint, bucket := server(t)
	f := newFaulty(t, endpoint)
	s := bucketAt(t, "http://"+f.Addr().String(), bucket)
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	require.NoError(t, stores.WriteFile(s, "in/large", want))
	for _, after := range []int64{0, 100, 700, 100_000, 3_000_000} {
		f.after.Store(after)
		file, err := s.Open("in/large")
		require.NoError(t, err)
		got, err := io.ReadAll(file)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
		f.after.Store(after)
		_, err = file.(io.ReaderAt).ReadAt(got, 0)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
	}
	require.Equal(t, int64(10), f.breaks.Load())
	for after := range int64(12) {
		f.after.Store(after * 100)
		require.NoError(t, stores.WriteFile(s, "out/small", want[:100]), after)
		got, err := fs.ReadFile(s, "out/small")
		require.NoError(t, err)
		require.Equal(t, want[:100], got)
	}
	require.Greater(t, f.breaks.Load(), int64(15))
	require.NoError(t, f.Close())
	s.core.Client.TraceOff()
	_, err := bucketAt(t, "http://"+f.Addr().String(), bucket).Open("in/large")
	require.ErrorContains(t, err, "in/large: ")
	require.ErrorContains(t, err, "connection refused")
	require.NotContains(t, err.Error(), "\n")
}

// A job in one process reads its input from a bucket and writes its output there.
func TestJob(t *testing.T) {
	endpoint, bucket := server(t)
	t.Setenv("AWS_ENDPOINT_URL", endpoint)
	t.Setenv("AWS_REGION", "us-east-1")
	root := "s3://" + bucket
	s := bucketAt(t, endpoint, bucket)
	require.NoError(t, stores.WriteFile(s, "in/a.txt", []byte(strings.Repeat("one two\n", 1000))))
	require.NoError(t, stores.WriteFile(s, "in/b.txt", []byte("three\n")))
	do := func(to mr.Destination) error {
		src, err := mr.Files(root + "/in/*.txt")
		require.NoError(t, err)
		job := jobs.WordCount()
		job.Reducers = 2
		p, err := job.Bind(mr.Lines(src...), mr.Text[jobs.Count](to))
		require.NoError(t, err)
		_, err = mr.RunLocal(t.Context(), p, mr.LocalOptions{})
		return err
	}
	for _, to := range []mr.Destination{mr.Dir(root + "/out"), mr.ReplacedDir(root + "/out")} {
		require.NoError(t, do(to))
		var names []string
		list, err := s.ReadDir("out")
		require.NoError(t, err)
		text := ""
		for _, e := range list {
			names = append(names, e.Name())
			b, err := fs.ReadFile(s, "out/"+e.Name())
			require.NoError(t, err)
			text += string(b)
		}
		require.Equal(t, []string{"_SUCCESS", "part-r-00000", "part-r-00001"}, names)
		require.ElementsMatch(t, []string{"one\t1000", "three\t1", "two\t1000", ""}, strings.Split(text, "\n"))
	}
	require.ErrorIs(t, do(mr.Dir(root+"/out")), mr.ErrOutputExists)
}

// The tarry command reads and writes a bucket, even on nodes that share only the bucket.
func TestCommands(t *testing.T) {
	endpoint, bucket := server(t)
	t.Setenv("AWS_ENDPOINT_URL", endpoint)
	t.Setenv("AWS_REGION", "us-east-1")
	storetest.Commands(t, bucketAt(t, endpoint, bucket), "s3://"+bucket+"/dir", "../..", []string{"$TARRY_TEST_SLURM", "$TARRY_TEST_SPARK_CLUSTER"})
}
