package mrtest

import (
	"bytes"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

// fakeTB is a testing.TB that only records the message of a failure.
type fakeTB struct {
	testing.TB
	said string
}

func (f *fakeTB) Helper() {}

func (f *fakeTB) Fatalf(format string, args ...any) {
	f.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// said returns the message with which a check fails; "" if it passes.
func said(t *testing.T, check func(t testing.TB)) string {
	f := &fakeTB{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(f)
	}()
	<-done
	return f.said
}

// requireSays requires that a check fails, with all texts in its message.
func requireSays(t *testing.T, check func(t testing.TB), texts ...string) {
	t.Helper()
	text := said(t, check)
	require.NotEmpty(t, text, "the check passes")
	for _, want := range texts {
		require.Contains(t, text, want)
	}
}

type (
	count  = mapreduce.Pair[string, int64]
	counts = mapreduce.Job[[]byte, string, int64, count]
)

// wordCount returns a correct job.
func wordCount() counts {
	return counts{
		Name: "wordcount",
		Map: func(line []byte, emit func(string, int64)) error {
			for w := range mapreduce.Fields(line) {
				emit(string(w), 1)
			}
			return nil
		},
		Sum: true,
		Reduce: func(word string, values iter.Seq[int64], emit func(count)) error {
			var n int64
			for v := range values {
				n += v
			}
			emit(mapreduce.MakePair(word, n))
			return nil
		},
	}
}

// rhyme returns an input of two files, whose lines have different lengths.
func rhyme() mapreduce.Input[[]byte] {
	return mapreduce.Lines(
		mapreduce.Bytes("one", []byte("tarry a while\nsaid slow\nlet us tarry\n\nput on the pot\n")),
		mapreduce.Bytes("two", []byte(strings.Repeat("said greedy gut to tarry\nwe will sup before we go\n", 9))),
	)
}

// wrong requires that Check fails for a word count into which fault has put a mistake.
func wrong(t *testing.T, fault func(j *counts), texts ...string) {
	t.Helper()
	requireSays(t, func(t testing.TB) {
		job := wordCount()
		fault(&job)
		Check(t, job, rhyme())
	}, append(texts, `mrtest: job "wordcount": `)...)
}

// Check passes correct jobs of several kinds, and returns their output.
func TestRight(t *testing.T) {
	all := Check(t, wordCount(), rhyme())
	require.Contains(t, all, mapreduce.MakePair("tarry", int64(11)))
	require.Len(t, all, 19)

	lines := Check(t, mapreduce.MapOnly[[]byte, string]{
		Map: func(line []byte, emit func(string)) error { emit(string(line)); return nil },
	}, rhyme())
	require.Equal(t, "said slow", lines[1])

	squares := Check(t, mapreduce.Job[int, int, mapreduce.None, int]{
		Map:    func(n int, emit func(int, mapreduce.None)) error { emit(n*n, mapreduce.None{}); return nil },
		Reduce: func(n int, _ iter.Seq[mapreduce.None], emit func(int)) error { emit(n); return nil }, TotalOrder: true,
	}, mapreduce.Slice([]int{3, -2, 7, 2, 1, 3, 9, 10, 12}))
	require.Equal(t, []int{1, 4, 9, 49, 81, 100, 144}, squares)
}

// Check passes a map that collects values and emits them at its end, if the reduce adds them. It
// passes a Reduce that keeps values until it returns, or copies them.
func TestRightInMemory(t *testing.T) {
	inMapper := wordCount()
	inMapper.Map = nil
	inMapper.MapTask = func(*mapreduce.Task) (mapreduce.Mapper[[]byte, string, int64], error) {
		seen := map[string]int64{}
		return mapreduce.Mapper[[]byte, string, int64]{
			Map: func(line []byte, _ func(string, int64)) error {
				for w := range mapreduce.Fields(line) {
					seen[string(w)]++
				}
				return nil
			},
			Close: func(emit func(string, int64)) error {
				for w, n := range seen {
					emit(w, n)
				}
				return nil
			},
		}, nil
	}
	require.Equal(t, Check(t, wordCount(), rhyme()), Check(t, inMapper, rhyme()))
	require.Equal(t, "to|on|us", strings.Join(lastThree(t, bytes.Clone), "|"))
}

// lastThree checks a job whose Reduce keeps values by keep, and returns three words of two letters.
func lastThree(t testing.TB, keep func([]byte) []byte) []string {
	return Check(t, mapreduce.Job[[]byte, int, []byte, string]{
		Name: "kept",
		Map: func(line []byte, emit func(int, []byte)) error {
			for w := range mapreduce.Fields(line) {
				emit(len(w), w)
			}
			return nil
		},
		Reduce: func(n int, words iter.Seq[[]byte], emit func(string)) error {
			if n != 2 {
				return nil
			}
			kept := map[string][]byte{}
			for w := range words {
				kept[string(w)] = keep(w)
			}
			for _, w := range []string{"to", "on", "us"} {
				emit(string(kept[w]))
			}
			return nil
		},
	}, rhyme())
}

// A value kept too long is reported with the poison in it, and the position of the record.
func TestKeptValue(t *testing.T) {
	requireSays(t, func(t testing.TB) { lastThree(t, func(b []byte) []byte { return b }) },
		"in RunLocal with 1 reduce, watched: part 0, record 0 is \"\\xdb\\xdb\", but \"to\" in RunLocal with 1 reduce",
		"bytes.Clone")
}

// A record that is copied after its call is reported with the poison in it. One that is emitted
// then is an error with its line of code.
func TestKeptRecord(t *testing.T) {
	before := func(emitted func([]byte) []byte) func(testing.TB) {
		return func(t testing.TB) {
			Check(t, mapreduce.MapOnly[[]byte, []byte]{
				MapTask: func(*mapreduce.Task) (mapreduce.Filter[[]byte, []byte], error) {
					var last []byte
					return mapreduce.Filter[[]byte, []byte]{Map: func(line []byte, emit func([]byte)) error {
						emit(emitted(last))
						last = line
						return nil
					}}, nil
				},
			}, rhyme())
		}
	}
	requireSays(t, before(bytes.Clone), `is "\xdb\xdb\xdb`, "bytes.Clone", "part 0, record 1")
	requireSays(t, before(func(b []byte) []byte { return b }),
		"Map emitted bytes of a record of an earlier call (mrtest/check_test.go:", `"said slow"`)
}

// Check reports what a watched plan reports, and errors of the engine.
func TestMisuse(t *testing.T) {
	n := atomic.Int64{}
	for text, fault := range map[string]func(j *counts){
		"Partition returned -1 of": func(j *counts) { j.Partition = func(string, int) int { return -1 } },
		"Combine is not associative": func(j *counts) {
			j.Combine, j.Sum = func(a, b int64) int64 { return (a + b) / 2 * 3 }, false
		},
		"Combine is no function of its arguments": func(j *counts) {
			j.Combine, j.Sum = func(a, b int64) int64 { return a + b + n.Add(1) }, false
		},
		"emit was called from another goroutine than that of Map (mrtest/check_test.go:": func(j *counts) {
			j.Map = func(_ []byte, emit func(string, int64)) error {
				done := make(chan struct{})
				go func() { emit("x", 1); close(done) }()
				<-done
				return nil
			}
		},
	} {
		wrong(t, fault, text)
	}
}
