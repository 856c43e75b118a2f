package jobs

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/gen"
	"github.com/tarry-mr/tarry/mapreduce"
)

func scanned(t *testing.T, o ScanOptions, s setting, lines string) string {
	return run(t, s, text(must(Scan(o)), mapreduce.Lines(sources(lines)...)))
}

// Scan keeps about the given percentage of lines, the same ones for any blocks. Another seed keeps
// others. A higher percentage keeps the same lines and more.
func TestScanKeepsItsPart(t *testing.T) {
	var b strings.Builder
	const n = 4000
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	lines := b.String()
	for _, percent := range []float64{0, 0.5, 10, 50, 100} {
		o := ScanOptions{Percent: percent, Seed: 3}
		all := settings()
		want := scanned(t, o, all[0], lines)
		kept := float64(strings.Count(want, "\n"))
		part := percent / 100
		require.InDelta(t, n*part, kept, 4*math.Sqrt(n*part*(1-part)), "%v %%", percent)
		for _, s := range []setting{all[1], all[6], all[7]} {
			require.Equal(t, want, scanned(t, o, s, lines), "%+v", s)
		}
		if percent == 10 {
			require.NotEqual(t, want, scanned(t, ScanOptions{Percent: percent, Seed: 4}, all[0], lines))
			more := scanned(t, ScanOptions{Percent: 20, Seed: 3}, all[0], lines)
			for line := range strings.Lines(want) {
				require.Contains(t, more, line)
			}
		}
	}
	require.Equal(t, lines, scanned(t, ScanOptions{Percent: 100}, settings()[0], lines))
	for _, percent := range []float64{-1, 100.1, math.NaN(), math.Inf(1)} {
		_, err := Scan(ScanOptions{Percent: percent})
		require.ErrorContains(t, err, "want 0 to 100")
	}
}

// Sleep takes as long as its lines and options say, and ends early if the attempt is canceled.
func TestSleep(t *testing.T) {
	bind := func(naps string) binding { return text(Sleep(time.Hour), mapreduce.NLines(1, sources(naps)...)) }
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		run(t, settings()[0], bind("90s\n1.5h\n0s\n"))
		require.Equal(t, 90*time.Second+90*time.Minute+time.Hour, time.Since(began))
	})
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		plan, err := bind("10h")(mapreduce.Writer("none", io.Discard))
		require.NoError(t, err)
		_, err = locally(ctx, plan)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Minute, time.Since(began))
	})
	for _, line := range []string{"x", "-1s", "5", "\n", strings.Repeat("1", 5000)} {
		require.ErrorContains(t, failure(t, bind(line)), "is no duration, such as 1.5s", line)
	}
}

// TeraValidate accepts sorted records, with the checksum that the unsorted ones have.
func TestTeraValidate(t *testing.T) {
	records := table(t, gen.Tera, 20_000, 0)
	files := []string{records, "", records[:1000]} // ten keys come twice
	in := func(files ...string) mapreduce.Input[[]byte] {
		return mapreduce.FixedSize(TeraRecordBytes, sources(files...)...)
	}
	sum, unordered, last := uint64(0), 0, ""
	all := strings.Join(files, "")
	for ; all != ""; all = all[TeraRecordBytes:] {
		sum += uint64(crc32.ChecksumIEEE([]byte(all[:TeraRecordBytes])))
		if key := all[:TeraKeyBytes]; key < last {
			unordered++
		}
		last = all[:TeraKeyBytes]
	}
	require.Positive(t, unordered)
	want := func(duplicates, unordered int) string {
		return fmt.Sprintf("records\t210\nchecksum\t%016x\nduplicates\t%d\nunordered\t%d\n", sum, duplicates, unordered)
	}
	for _, s := range settings() {
		require.Equal(t, want(0, unordered), run(t, s, text(TeraValidate(true), in(files...))), "%+v", s)
		sorted := run(t, s, raw(TeraSort(), in(files...)))
		require.Equal(t, want(10, 0), run(t, s, text(TeraValidate(false), in(sorted[:5000], sorted[5000:]))), "%+v", s)
	}
	require.Equal(t, "records\t0\nchecksum\t0000000000000000\nduplicates\t0\nunordered\t0\n",
		run(t, settings()[0], text(TeraValidate(false), in(""))))
	require.ErrorContains(t, failure(t, text(TeraValidate(false), in(files...))),
		fmt.Sprintf("%d of 210 records are smaller than the one before them", unordered))
}

func ExampleScan() {
	job, err := Scan(ScanOptions{Percent: 50, Seed: 1})
	if err != nil {
		panic(err)
	}
	text := mapreduce.Bytes("text", []byte("one\ntwo\nthree\nfour\none\nfive\n"))
	example(job.Bind(mapreduce.Lines(text), mapreduce.Text[Line](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// two
	// five
}

func ExampleSleep() {
	naps := mapreduce.Bytes("naps", []byte("1ms\n2ms\n"))
	out := mapreduce.Text[mapreduce.Pair[string, float64]](mapreduce.Writer("-", os.Stdout))
	example(Sleep(0).Bind(mapreduce.NLines(1, naps), out))
	// Output:
	// slept	0.003
}

func ExampleTeraValidate() {
	var b bytes.Buffer
	if err := gen.Write(ctx, &b, gen.Config{Kind: gen.Tera, Bytes: 100, Seed: 1}); err != nil {
		panic(err)
	}
	records := mapreduce.FixedSize(TeraRecordBytes, mapreduce.Bytes("records", b.Bytes()))
	example(TeraValidate(false).Bind(records, mapreduce.Text[TeraFact](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// records	1
	// checksum	0000000051b55bc5
	// duplicates	0
	// unordered	0
}
