package mapreduce_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

type reading struct {
	At    time.Time
	Where string
	Raw   []byte
	N     []int32
}

// typedOf writes records by Typed, and returns the path of the one part.
func typedOf[O any](t testing.TB, records []O, c Compression) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	require.NoError(t, ran(passOn[O]().Bind(Slice(records), Typed[O](Dir(dir).Compressed(c)))))
	return filepath.Join(dir, "part-m-00000"+c.Extension())
}

func TestTypedIsReadBack(t *testing.T) {
	at := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	want := []reading{{at, "a", []byte("raw\n"), []int32{1, -1}}, {Raw: []byte{}}, {Where: strings.Repeat("x", 300), Raw: []byte{}}}
	for _, c := range []Compression{NoCompression, Zstd} {
		sources := must(Files(filepath.Dir(typedOf(t, want, c))))(t)
		requireEverywhere(t, want, func() Input[reading] { return ReadTyped[reading](sources...) }, 1, 50, 1000)
	}
}

// TestTypedAtAnyWindow reads it record by record.
func TestTypedAtAnyWindow(t *testing.T) {
	data := must(os.ReadFile(typedOf(t, []string{"", "a", strings.Repeat("b", 200), "c"}, NoCompression)))(t)
	rapid.Check(t, func(t *rapid.T) {
		size := func(name string) int { return rapid.IntRange(1, 300).Draw(t, name) }
		got := must(recordsOf(t, ReadTyped[string](Bytes("f", data)), tiny(size("run"), size("crossing"), size("span")), 7))(t)
		require.Equal(t, []string{"", "a", strings.Repeat("b", 200), "c"}, got)
	})
	for n := 1; n < len(data); n++ { // cut here, it is damaged or ends after a whole record
		got, err := recordsOf(t, ReadTyped[string](Bytes("f", data[:n])), read.UsualWindows(), 1<<20)
		if err == nil {
			require.Less(t, len(got), 4)
			continue
		}
		require.ErrorIs(t, err, fault.ErrCorruptInput)
	}
}

func TestTypedOfAnotherType(t *testing.T) {
	type renamed struct {
		Name string
		N    int64
	}
	type other struct {
		Name string
		N    int32
	}
	path := typedOf(t, []visit{{"ann", 1}}, NoCompression)
	src := must(File(path))(t)
	got := must(recordsOf(t, ReadTyped[renamed](src), read.UsualWindows(), 1<<20))(t)
	require.Equal(t, []renamed{{"ann", 1}}, got)
	err := failure(t, ReadTyped[other](src))
	require.ErrorContains(t, err, "the file has mapreduce_test.visit, {Name string; N int64}, "+
		"the job reads mapreduce_test.other, {Name string; N int32}")
	require.True(t, fault.IsPermanent(err))
	require.ErrorContains(t, failure(t, ReadTyped[visit](Bytes("f", []byte("\x02hi")))), "not the beginning of what Typed writes")
	require.ErrorIs(t, failure(t, ReadTyped[visit](Bytes("f", []byte("hello")))), fault.ErrCorruptInput)
	_, err = passOn[func()]().Bind(ReadTyped[func()](src), Typed[func()](Dir("x")))
	require.ErrorIs(t, err, codec.ErrUnsupportedType)
	require.ErrorContains(t, failure(t, ReadTyped[reading](src)), "{At time.Time; Where string; Raw []uint8; N []int32}")
}

// A part of Typed has its header even if it has no records, or its first record is skipped.
func TestTypedOfFewRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	job := MapOnly[int, int]{Map: func(n int, emit func(int)) error {
		emit(n)
		if n < 2 {
			return errDisk
		}
		return nil
	}}
	p := must(job.Bind(Slice([]int{1, 2}).SplitSize(1), Typed[int](Dir(dir))))(t)
	must(RunLocal(t.Context(), p, LocalOptions{MaxSkips: 1}))(t)
	sources := must(Files(dir))(t)
	requireEverywhere(t, []int{2}, func() Input[int] { return ReadTyped[int](sources...) }, 100)
}

// For any bytes, ReadTyped returns records or an error, the same for all windows.
func FuzzReadTyped(f *testing.F) {
	data := must(os.ReadFile(typedOf(f, []visit{{"ann", 1}, {"bob", -1}}, NoCompression)))(f)
	f.Add(data)
	f.Add(data[:len(data)-1])
	f.Add([]byte("\x02hi"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2000 {
			return
		}
		list, err := recordsOf(t, ReadTyped[visit](Bytes("f", data)), read.UsualWindows(), 1<<20)
		small, errSmall := recordsOf(t, ReadTyped[visit](Bytes("f", data)), tiny(3, 2, 7), 1<<20)
		require.Equal(t, err == nil, errSmall == nil, "%v, %v", err, errSmall)
		if err == nil {
			require.Equal(t, list, small)
		}
	})
}

// For any JSON, decoding counters is an error, or gives counters that encode and decode to
// themselves.
func FuzzCounters(f *testing.F) {
	f.Add([]byte(`[{"group":"g","name":"n","value":3},{"group":"g","name":"n","value":-3}]`))
	f.Add([]byte(`[{"group":"Map-Reduce Framework","name":"Map input records","value":9223372036854775807}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c, again counter.Set
		if json.Unmarshal(data, &c) != nil {
			return
		}
		once := must(json.Marshal(&c))(t)
		require.NoError(t, json.Unmarshal(once, &again))
		require.Equal(t, string(once), string(must(json.Marshal(&again))(t)))
	})
}
