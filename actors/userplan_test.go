package actors

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/dfs/stores/storetest"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// errUser is the failure of the user code in these tests.
var errUser = errors.New("the user's own error")

// ways are the ways in which user code may fail.
var ways = map[string]func() error{
	"error":  func() error { return errUser },
	"panic":  func() error { panic(errUser) },
	"goexit": func() error { runtime.Goexit(); return nil },
}

// blame requires that the error names the failure of user code and, except for errors, its place.
func blame(t *testing.T, way string, err error) {
	t.Helper()
	var p *cluster.PanicError
	switch way {
	case "panic":
		require.ErrorAs(t, err, &p)
		require.Contains(t, err.Error(), "actors/userplan_test.go:")
		require.NotContains(t, err.Error(), "goroutine ")
		require.Contains(t, p.Stack, "userplan_test.go")
		fallthrough
	case "error":
		require.ErrorIs(t, err, errUser)
	case "goexit":
		require.ErrorIs(t, err, cluster.ErrExited)
		require.Contains(t, err.Error(), "Goexit")
		require.Contains(t, err.Error(), "at actors/userplan_test.go:")
	}
	require.NotContains(t, err.Error(), "%!")
	require.Less(t, len(err.Error()), 1000)
}

// phrase is a key that encodes itself, so that its codec is user code.
type phrase struct{ s string }

// The methods of phrase that encode and decode it call marshalText and unmarshalText.
var (
	marshalText   func() error
	unmarshalText func() error
)

func must(f func() error) error {
	if f == nil {
		return nil
	}
	return f()
}

func (x phrase) MarshalBinary() ([]byte, error)      { return []byte(x.s), must(marshalText) }
func (x *phrase) UnmarshalBinary(b []byte) error     { x.s = string(b); return must(unmarshalText) }
func (x phrase) AppendText(b []byte) ([]byte, error) { return append(b, x.s...), nil }
func (x phrase) MarshalText() ([]byte, error)        { return []byte(x.s), nil }

// userPlan returns a job with user code at every possible place. The code at place calls fail.
// contents returns the files of its output by name.
func userPlan(t *testing.T, place string, fail func() error) (p *mapreduce.Plan, contents func() map[string]string, err error) {
	at := func(name string) error {
		if name == place {
			return fail()
		}
		return nil
	}
	marshalText = func() error { return at("marshal") }
	unmarshalText = func() error { return at("unmarshal") }
	job := mapreduce.Job[[]byte, phrase, int64, mapreduce.Pair[phrase, int64]]{
		Name: "faults", Reducers: 2,
		MapTask: func(*mapreduce.Task) (mapreduce.Mapper[[]byte, phrase, int64], error) {
			return mapreduce.Mapper[[]byte, phrase, int64]{
				Map: func(line []byte, emit func(phrase, int64)) error {
					emit(phrase{string(line)}, 1)
					return at("map")
				},
				Close: func(func(phrase, int64)) error { return at("close map") },
			}, at("map task")
		},
		Partition: func(key phrase, n int) int {
			if err := at("partition"); err != nil {
				panic(err)
			}
			return len(key.s) % n
		},
		Combine: func(a, b int64) int64 {
			if err := at("combine"); err != nil {
				panic(err)
			}
			return a + b
		},
		ReduceTask: func(*mapreduce.Task) (mapreduce.Reducer[phrase, int64, mapreduce.Pair[phrase, int64]], error) {
			return mapreduce.Reducer[phrase, int64, mapreduce.Pair[phrase, int64]]{
				Reduce: func(k phrase, vs iter.Seq[int64], emit func(mapreduce.Pair[phrase, int64])) error {
					next, stop := iter.Pull(vs)
					defer stop()
					for n, ok := next(); ok; n, ok = next() {
						emit(mapreduce.MakePair(k, n))
					}
					return at("reduce")
				},
				Close: func(func(mapreduce.Pair[phrase, int64])) error { return at("close reduce") },
			}, at("reduce task")
		},
	}
	out := &storetest.Dir{Root: t.TempDir(), Lost: func(op, name string) error {
		switch path.Base(name) {
		case "_SUCCESS":
			op = "create success"
		case "setup":
			op = "setup"
		}
		return at(op)
	}}
	scheme := fmt.Sprint("user", plans.Add(1))
	stores.Register(scheme, func(string) (stores.Store, error) { return out, nil })
	encode := func(dst []byte, rec mapreduce.Pair[phrase, int64]) ([]byte, error) {
		return fmt.Appendf(dst, "%s %d\n", rec.First.s, rec.Second), at("encode")
	}
	src, err := mapreduce.Stored(&userSource{at: at, data: []byte("one\ntwo\none\nthree\n")})
	if err != nil {
		return nil, nil, err
	}
	p, err = job.Bind(mapreduce.Lines(src), mapreduce.Encoded(mapreduce.Dir(scheme+"://plan/out"), encode))
	return p, func() map[string]string {
		list := map[string]string{}
		require.NoError(t, filepath.WalkDir(out.Root, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := os.ReadFile(name)
			list[strings.TrimPrefix(name, out.Root+"/")] = string(b)
			return err
		}))
		return list
	}, err
}

var plans atomic.Int64 // number of userPlans

// userSource is a dfs.Source. Its View and Close return the result of at, called with their place.
type userSource struct {
	at   func(string) error
	data []byte
}

func (s *userSource) Name() string { return "user.txt" }
func (s *userSource) Size() int64  { return int64(len(s.data)) }
func (s *userSource) Close() error { return s.at("close source") }

func (s *userSource) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(s.data).ReadAt(p, off)
}

func (s *userSource) View(off int64, n int) ([]byte, func(), error) {
	return s.data[off:][:n], func() {}, s.at("view")
}
