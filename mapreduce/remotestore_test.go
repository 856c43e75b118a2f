package mapreduce_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/dfs/stores/storetest"
	. "github.com/tarry-mr/tarry/mapreduce"
)

// otherStore returns a new store with three files, one of them compressed, and its URL.
func otherStore(t *testing.T) (url string, store *storetest.Dir) {
	store = &storetest.Dir{Root: t.TempDir()}
	for name, text := range map[string]string{
		"in/a.txt": "one two three\nfour\n", "in/b.txt": strings.Repeat("one five\n", 3000), "in/_no": "x",
		"in/c.gz": string(packed(t, Gzip, "six seven\n")),
	} {
		require.NoError(t, stores.WriteFile(store, name, []byte(text)))
	}
	return storeURL(store), store
}

// sizes returns a plan over inputs that writes every second word to a file of its own.
func sizes(inputs string, to Destination) (*Plan, error) {
	src, err := Files(inputs)
	if err != nil {
		return nil, err
	}
	job := wordCount(true)
	job.Reducers = 2
	return job.Bind(Lines(src...).SplitSize(4096), Routed(Text[Pair[string, int64]](to), func(p Pair[string, int64]) string {
		return map[bool]string{true: "odd"}[p.Second%2 == 1]
	}))
}

// Jobs read and write a store as they do local files, and leave no other files there.
func TestStoreInAndOut(t *testing.T) {
	url, store := otherStore(t)
	var want map[string]string
	for i, to := range []Destination{Dir(store.Root + "/local"), Dir(url + "/far//out/"), ReplacedDir(url + "/far/out")} {
		p, err := sizes(url+"/in", to)
		require.NoError(t, err)
		require.Len(t, p.Job().Sources, 3)
		require.Equal(t, url+"/in/a.txt", p.Job().Sources[0].Name())
		require.NoError(t, ran(p, nil), i)
		if i == 0 {
			want = inside(t, store, "local")
			require.Contains(t, fmt.Sprint(want), "five\t3000")
			require.Contains(t, fmt.Sprint(want), "seven\t1")
			require.Contains(t, want, "odd-r-00000")
			continue
		}
		require.Equal(t, want, inside(t, store, "far/out"))
		require.Empty(t, store.Begun())
	}
	for _, glob := range []string{"/in/{a,b}.*", "/**/[ab].txt", "/in/a.txt"} {
		src, err := Files(url + glob)
		require.NoError(t, err)
		require.Equal(t, url+"/in/a.txt", src[0].Name())
	}
	for name, text := range map[string]string{
		"/in/none": "/in/none: ", "/in/*.csv": "/in/*.csv: no file matches",
	} {
		_, err := Files(url + name)
		require.ErrorContains(t, err, url+text)
	}
	_, err := Files("s3://bucket/key")
	require.ErrorContains(t, err, "s3://bucket/key: this program was built without s3://")
	_, err = Files("gopher://bucket/key")
	require.ErrorContains(t, err, "gopher:// is no store that is known")
}

// An existing output in a store stays as it is, unless a job with ReplacedDir replaces a job's
// output.
func TestStoreOutputThatIsThere(t *testing.T) {
	url, store := otherStore(t)
	bind := func(to Destination) (*Plan, error) { return sizes(url+"/in", to) }
	busy := must(bind(Dir(url + "/out")))(t)
	require.NoError(t, Dir(url+"/out").Check())
	require.NoError(t, busy.SetupJob())
	for _, to := range []Destination{Dir(url + "/out"), ReplacedDir(url + "/out")} {
		require.ErrorIs(t, to.Check(), ErrOutputExists)
		err := ran(bind(to))
		require.ErrorIs(t, err, ErrOutputExists)
		require.ErrorContains(t, err, url+"/out: output exists: unfinished")
	}
	require.NoError(t, busy.AbortJob())
	require.Empty(t, inside(t, store, "out"))

	require.NoError(t, ran(bind(Dir(url+"/out"))))
	before := inside(t, store, "out")
	require.ErrorIs(t, ran(bind(Dir(url+"/out"))), ErrOutputExists)
	require.Equal(t, before, inside(t, store, "out"))

	failing := must(bind(ReplacedDir(url + "/out")))(t)
	require.NoError(t, failing.SetupJob())
	require.NoError(t, failing.AbortJob())
	require.Equal(t, before, inside(t, store, "out"), "the earlier output stays")

	require.NoError(t, stores.WriteFile(store, "out/part-r-00007", []byte("old")))
	require.NoError(t, ran(bind(ReplacedDir(url+"/out"))))
	require.Equal(t, before, inside(t, store, "out"))
	require.NoError(t, stores.WriteFile(store, "out/diary", []byte("dear")))
	require.ErrorContains(t, ran(bind(ReplacedDir(url+"/out"))), "it holds diary")
	require.ErrorIs(t, Dir(url).Check(), ErrOutputExists, "all of a store is no output")
}

// Whichever call of a store fails, the job fails with one error that names the store. It leaves no
// output that looks complete, and the next run succeeds.
func TestStoreIsLost(t *testing.T) {
	url, store := otherStore(t)
	ops, fail := 0, -1
	store.Lost = func(op, _ string) error {
		if ops++; ops-1 == fail {
			return errors.New("connection reset by peer")
		}
		return nil
	}
	do := func() error {
		ops = 0
		return ran(sizes(url+"/in", Dir(url+"/out")))
	}
	require.NoError(t, do())
	want, most := inside(t, store, "out"), ops
	require.Greater(t, most, 30)
	for n := range most {
		fail = -1
		require.NoError(t, store.RemoveAll("out"))
		fail = n
		err := do()
		fail = -1
		got := inside(t, store, "out")
		if err == nil {
			require.Equal(t, want, got, n)
			continue
		}
		require.ErrorContains(t, err, url, n)
		require.ErrorContains(t, err, "connection reset", n)
		require.NotContains(t, err.Error(), "\n", n)
		require.NotErrorIs(t, err, ErrInputChanged, n)
		require.NotContains(t, got, "_SUCCESS", n)
		require.NoError(t, do(), n)
		require.Equal(t, want, inside(t, store, "out"), n)
	}
}

// If a file in a store is replaced after Bind, the job fails with ErrInputChanged.
func TestStoreInputChanges(t *testing.T) {
	url, store := otherStore(t)
	p, err := sizes(url+"/in", Dir(url+"/out"))
	require.NoError(t, err)
	require.NoError(t, stores.WriteFile(store, "in/a.txt", []byte("one two threE\nfour\n")))
	require.ErrorIs(t, ran(p, nil), ErrInputChanged)
	require.Empty(t, inside(t, store, "out"))
}
