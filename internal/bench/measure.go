package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// Sample has the time in seconds and the memory in bytes that one run of a program took.
type Sample struct {
	Wall float64 `json:"wall_s"`
	CPU  float64 `json:"cpu_s"` // user and system, of the process and its children
	// PeakRSS is the maximum resident memory of the process, including mapped files.
	PeakRSS int64 `json:"peak_rss"`
	// Private is the maximum anonymous memory observed, without mapped files; 0 where it is unknown
	// (outside Linux), or if the process was too short.
	Private int64 `json:"private"`
}

// measure runs a program and writes its standard output to a file.
func measure(ctx context.Context, p Program, stdout *os.File) (Sample, error) {
	cmd := exec.CommandContext(ctx, p.Args[0], p.Args[1:]...)
	cmd.Env = append(os.Environ(), p.Env...)
	cmd.Stdout = stdout
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Sample{}, err
	}
	watched := watchMemory(cmd.Process.Pid)
	err := cmd.Wait()
	wall := time.Since(start)
	seen := watched()
	state := cmd.ProcessState
	if err != nil && (p.Accept == 0 || state == nil || state.ExitCode() != p.Accept) {
		line, _, _ := bytes.Cut(bytes.TrimSpace(stderr.Bytes()), []byte{'\n'})
		return Sample{}, fmt.Errorf("%s: %w: %s", p.Args[0], err, line)
	}
	return Sample{
		Wall:    wall.Seconds(),
		CPU:     (state.UserTime() + state.SystemTime()).Seconds(),
		PeakRSS: peakRSS(state, seen),
		Private: seen.private,
	}, nil
}

// peakRSS returns the maximum seen during the run, or where nothing was seen that of the system.
// The system's report on a child begins with its parent's memory at the fork.
func peakRSS(state *os.ProcessState, seen memorySeen) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if seen.peakRSS > 0 || !ok {
		return seen.peakRSS
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss
	}
	return usage.Maxrss << 10
}

// memorySeen holds the maxima observed in a process, in bytes.
type memorySeen struct{ peakRSS, private int64 }

// watchInterval is the time between looks at a process's memory: short enough for the peak of a run
// of a tenth of a second. A look costs a few microseconds.
const watchInterval = 3 * time.Millisecond

// watchMemory observes a process's memory until the returned function is called, which returns the
// maxima.
func watchMemory(pid int) (stop func() memorySeen) {
	done, result := make(chan struct{}), make(chan memorySeen)
	go func() {
		var seen memorySeen
		ticker := time.NewTicker(watchInterval)
		defer ticker.Stop()
		for {
			if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
				seen.peakRSS = max(seen.peakRSS, statusBytes(status, "VmHWM:"))
				seen.private = max(seen.private, statusBytes(status, "RssAnon:"))
			}
			select {
			case <-ticker.C:
			case <-done:
				result <- seen
				return
			}
		}
	}()
	return func() memorySeen { close(done); return <-result }
}

// statusBytes returns the value of a line such as "RssAnon: 1234 kB" of /proc/PID/status, 0 if
// there is no such line.
func statusBytes(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte(name))
	var kib int64
	_, _ = fmt.Sscan(string(rest), &kib) // on error it stays 0
	return kib << 10
}

// freshen uses size bytes of memory and releases them, as a file in scratch; see Contest.Fresh.
func freshen(scratch string, size int64) error {
	if size == 0 {
		return nil
	}
	f, err := os.CreateTemp(scratch, "fresh-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	buf := make([]byte, 1<<20)
	for ; size > 0 && err == nil; size -= int64(len(buf)) {
		_, err = f.Write(buf[:min(size, int64(len(buf)))])
	}
	return err
}

// warm reads a file, so that it is in the page cache.
func warm(path string) error {
	_, err := appendFile(io.Discard, path, math.MaxInt64)
	return err
}

// Summary is the median of some values and their range.
type Summary struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	N      int     `json:"n"` // number of values; 0: nothing is known and the rest is 0
}

// Summarize returns the summary of values, which it does not change. The median of an even number
// of values is the mean of the middle two.
func Summarize(values []float64) Summary {
	n := len(values)
	if n == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(values))
	median := sorted[n/2]
	if n%2 == 0 {
		median = (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return Summary{Median: median, Min: sorted[0], Max: sorted[n-1], N: n}
}

// of returns the summary of f over the samples.
func of(samples []Sample, f func(Sample) float64) Summary {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = f(s)
	}
	return Summarize(values)
}

// ratios returns the summary of f of a's runs divided by f of b's runs, round by round, over the
// rounds in which both ran. It skips runs in which f of b is 0.
func ratios(a, b []Sample, f func(Sample) float64) Summary {
	var values []float64
	for i := range min(len(a), len(b)) {
		if divisor := f(b[i]); divisor > 0 {
			values = append(values, f(a[i])/divisor)
		}
	}
	return Summarize(values)
}

// The quantities of a sample. CPU time depends less on other users of the machine than wall time.
func wall(s Sample) float64    { return s.Wall }
func cpu(s Sample) float64     { return s.CPU }
func rss(s Sample) float64     { return float64(s.PeakRSS) }
func private(s Sample) float64 { return float64(s.Private) }
