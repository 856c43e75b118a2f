// Package enginetest contains jobs for tests of engines, and their expected results. The submitting
// program and its workers bind the same jobs.
package enginetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"github.com/tarry-mr/tarry/jobs"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

// asWorker reports whether this process is a worker, like worker.IsWorker.
func asWorker() bool {
	_, ok := os.LookupEnv("TARRY_TASK")
	return ok
}

// once creates the file dir/name and calls do, unless the file exists: only one process calls do.
func once(dir, name string, do func()) {
	f, err := os.OpenFile(dir+"/"+name, os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_ = f.Close()
		do()
	}
}

func kill() { signalWorker(syscall.SIGKILL) }

// stop suspends this process if it is a worker; nothing resumes it.
func stop() { signalWorker(syscall.SIGSTOP) }

func signalWorker(s syscall.Signal) {
	if asWorker() {
		_ = syscall.Kill(os.Getpid(), s)
		select {} // the signal may take a moment; meanwhile the task must not complete
	}
}

var began bool // whether this process's only map has begun

// slow blocks the job's first map until a speculative attempt of a map has begun.
func slow(dir string, line []byte) error {
	if began || !asWorker() {
		return nil
	}
	began = true
	copied, first := true, false
	once(dir, fmt.Sprintf("began-%x", line), func() { copied = false })
	if copied {
		once(dir, "copied", func() {})
	}
	once(dir, "slow", func() { first = true })
	for range 1200 {
		if _, err := os.Stat(dir + "/copied"); !first || err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return mr.Permanent(errors.New("no copy has begun for two minutes")) // a retry would look like a speculative attempt
}

// wait creates the file began-HOST in dir, and waits until a test creates the file go.
func wait(dir string) error {
	if began || !asWorker() {
		return nil
	}
	began = true
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	once(dir, "began-"+host, func() {})
	for range 1200 {
		if _, err := os.Stat(dir + "/go"); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return mr.Permanent(errors.New("nobody said go for two minutes"))
}

// Bind returns the plan of the job called name. Jobs that fail only once note it in dir.
func Bind(name, dir, out string, inputs []string) (*mr.Plan, error) {
	if name == "missing" && asWorker() { // a file that the worker's host lacks
		if _, err := os.Open(inputs[0] + ".here"); err != nil {
			return nil, err
		}
	}
	src, err := mr.Files(inputs...)
	if err != nil {
		return nil, err
	}
	to := mr.Dir(out)
	lines := mr.Lines(src...)
	count := counting()
	text := mr.Text[mr.Pair[string, int64]](to)
	switch name {
	case "wordcount", "nothing", "late":
		return jobs.WordCount().Bind(lines, mr.Text[jobs.Count](to))
	case "sort":
		return jobs.Sort(jobs.SortOptions{}).Bind(lines, mr.Text[jobs.Line](to))
	case "terasort":
		return jobs.TeraSort().Bind(mr.FixedSize(jobs.TeraRecordBytes, src...), mr.Raw[mr.Pair[[]byte, []byte]](to))
	case "secondary sort":
		return jobs.SecondarySort().Bind(mr.KeyValueLines('\t', src...), mr.Text[jobs.Placed](to))
	case "index":
		return jobs.Index(src...).Bind(lines, mr.Text[jobs.Posting](to))
	case "grep":
		job, err := jobs.Grep("a.*e", jobs.GrepOptions{})
		if err != nil {
			return nil, err
		}
		return job.Bind(lines, mr.Text[[]byte](to))
	case "floats":
		return floats().Bind(lines, mr.Text[mr.Pair[string, float64]](to.Compressed(mr.Gzip)))
	case "routed":
		return count.Bind(lines, mr.Routed(text, func(p mr.Pair[string, int64]) string { return "n" + strconv.FormatInt(p.Second%3, 10) }))
	case "one key":
		return oneKey().Bind(lines, mr.Text[mr.Pair[string, int64]](to))
	case "join":
		return join(lines).Bind(mr.Text[string](to))
	case "descending":
		count.Descending, count.TotalOrder = true, true
		return count.Bind(lines, text)
	case "largest":
		count.Combine = func(a, b int64) int64 { return a + b }
		count.Map = func(line []byte, emit func(string, int64)) error {
			emit(string(bytes.Repeat([]byte("one huge key "), 20_000)), int64(len(line)))
			return nil
		}
		return count.Bind(lines, text)
	}
	return faulty(name, dir, inputs, count, lines, text)
}

// counting returns a word count without a combiner.
func counting() mr.Job[[]byte, string, int64, mr.Pair[string, int64]] {
	return mr.Job[[]byte, string, int64, mr.Pair[string, int64]]{
		Map: func(line []byte, emit func(string, int64)) error {
			for w := range mr.Fields(line) {
				emit(string(w), 1)
			}
			return nil
		},
		Reduce: func(k string, values iter.Seq[int64], emit func(mr.Pair[string, int64])) error {
			n := int64(0)
			for v := range values {
				n += v
			}
			emit(mr.MakePair(k, n))
			return nil
		},
	}
}

// faulty returns count, a word count, changed so that its tasks fail in the way that name says.
func faulty(name, dir string, inputs []string, count mr.Job[[]byte, string, int64, mr.Pair[string, int64]], lines mr.Input[[]byte],
	text mr.Output[mr.Pair[string, int64]],
) (*mr.Plan, error) {
	mapping, reducing := count.Map, count.Reduce
	count.Map = func(line []byte, emit func(string, int64)) error {
		if err := misbehave(name, dir, inputs[0], line); err != nil {
			return err
		}
		return mapping(line, emit)
	}
	count.Reduce = func(k string, values iter.Seq[int64], emit func(mr.Pair[string, int64])) error {
		switch name {
		case "kill reduce":
			once(dir, name, kill)
		case "stop reduce":
			once(dir, name, stop)
		}
		return reducing(k, values, emit)
	}
	if name == "other types" && asWorker() {
		job := mr.Job[[]byte, int64, int64, mr.Pair[int64, int64]]{
			Map: func([]byte, func(int64, int64)) error { return nil }, Combine: func(a, b int64) int64 { return a + b },
		}
		return job.Bind(lines, mr.Text[mr.Pair[int64, int64]](mr.Dir(dir+"/other")))
	}
	return count.Bind(lines, text)
}

// misbehave is called by a map with each line. It fails, blocks, ends the process or changes a
// file, as name says.
func misbehave(name, dir, input string, line []byte) error {
	switch name {
	case "kill map":
		once(dir, name, kill)
	case "kill always":
		kill()
	case "host dies":
		_ = syscall.Kill(os.Getppid(), syscall.SIGKILL) // the engine's process that supervises this one
		kill()
	case "stop map":
		once(dir, name, stop)
	case "slow":
		return slow(dir, line)
	case "waits":
		return wait(dir)
	case "bad input":
		return mr.BadRecord(errors.New("no number"))
	case "bad lines":
		if len(line)%10 == 3 {
			return fmt.Errorf("%d bytes", len(line))
		}
	case "map fails":
		return errors.New("never works")
	case "panic":
		panic("at the disco")
	case "overflow":
		overflow(0)
	case "maps":
		writeTogether()
	case "crash":
		ended := make(chan bool)
		go func() { panic("away from the map") }()
		<-ended
	case "exit":
		os.Exit(7)
	case "exit well":
		os.Exit(0)
	case "end":
		runtime.Goexit()
	case "hang":
		once(dir, "hangs", func() {})
		select {}
	case "rebuilt":
		once(dir, name, rebuild)
	case "grows":
		once(dir, name, func() { grow(input) })
	case "another":
		once(dir, name, func() { replace(input, []byte("another file\n"), 0o600) })
	}
	return nil
}

// overflow recurses until the stack overflows. It first limits the stack to save time and memory.
func overflow(n int) int {
	if n == 0 {
		debug.SetMaxStack(1 << 20)
	}
	return overflow(n+1) + 1 //nolint:staticcheck // endless on purpose
}

// writeTogether writes a map from two goroutines, so that Go ends the process.
func writeTogether() {
	m := map[int]int{}
	go func() {
		for i := 0; ; i++ {
			m[i%10] = i
		}
	}()
	for i := 0; ; i++ {
		m[i%10] = i
	}
}

// rebuild replaces, in a worker, this program's file by one that has another checksum but the same
// behavior. Later workers must reject the job, because another program submitted it.
func rebuild() {
	if !asWorker() {
		return
	}
	path, err := os.Executable()
	must(err)
	b, err := os.ReadFile(path)
	must(err)
	replace(path, append(b, 0), 0o700)
}

// grow appends a line to the input file while maps read it.
func grow(input string) {
	f, err := os.OpenFile(input, os.O_APPEND|os.O_WRONLY, 0)
	must(err)
	_, err = f.WriteString("one line more\n")
	must(errors.Join(err, f.Close()))
}

// replace puts another file in a file's place.
func replace(path string, data []byte, mode os.FileMode) {
	must(os.WriteFile(path+".new", data, mode))
	must(os.Rename(path+".new", path))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// oneKey returns a job that groups all records under one key. Its result depends on their order.
func oneKey() mr.Job[[]byte, string, []byte, mr.Pair[string, int64]] {
	return mr.Job[[]byte, string, []byte, mr.Pair[string, int64]]{
		Map: func(line []byte, emit func(string, []byte)) error {
			emit("all", line)
			return nil
		},
		Reduce: func(k string, values iter.Seq[[]byte], emit func(mr.Pair[string, int64])) error {
			n := int64(0)
			for v := range values {
				for _, c := range v {
					n = n*31 + int64(c)
				}
			}
			emit(mr.MakePair(k, n))
			return nil
		},
	}
}

// floats returns a job that adds numbers of very different sizes: the sum depends on their order.
func floats() mr.Job[[]byte, string, float64, mr.Pair[string, float64]] {
	return mr.Job[[]byte, string, float64, mr.Pair[string, float64]]{
		Map: func(line []byte, emit func(string, float64)) error {
			var b [8]byte
			copy(b[:], line)
			emit("sum", float64(binary.LittleEndian.Uint64(b[:]))/float64(len(line)+1))
			emit(string(line[:min(1, len(line))]), 1/float64(len(line)+3))
			return nil
		},
		Combine: func(a, b float64) float64 { return a + b },
	}
}

// join returns a job that joins lines with lines of the same length and first two bytes.
func join(lines mr.Input[[]byte]) mr.Joined[string] {
	key := func(line []byte) string { return fmt.Sprint(len(line), string(line[:min(2, len(line))])) }
	return mr.Join(
		mr.From(lines, func(_ *mr.Task, line []byte, emit func(string, int64)) error {
			if len(line)%5 == 0 {
				emit(key(line), int64(len(line)))
			}
			return nil
		}),
		mr.From(lines, func(_ *mr.Task, line []byte, emit func(string, string)) error {
			emit(key(line), string(line))
			return nil
		}),
		func(k string, a int64, b string, emit func(string)) error {
			emit(fmt.Sprint(k, a, b))
			return nil
		})
}
