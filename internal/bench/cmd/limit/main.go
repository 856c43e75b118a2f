// Limit runs one of the hand-tuned programs of package limit:
//
//	limit wordcount [flags] FILE
//	limit terasort  [flags] FILE
//	limit sort      [flags] FILE
//	limit grep      [flags] LITERAL FILE
//
// It prints what it did, and how long that took inside the process, to standard error. With -o DIR
// the results are written as part files, otherwise discarded; grep writes matching lines to
// standard output.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/tarry-mr/tarry/internal/bench/limit"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "limit:", err)
		os.Exit(1)
	}
}

const usage = "usage: limit wordcount|terasort|sort|grep [-o DIR] [-parts N] [-j N] [-c] [-e] " +
	"[LITERAL] FILE"

// options are the flags all programs share.
type options struct {
	dir        string
	parts      int
	goroutines int
	count      bool
	regexp     bool
}

func run(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("no program named\n%s", usage)
	}
	var o options
	flags := flag.NewFlagSet("limit "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.dir, "o", "", "write part files to `DIR`; default: discard the result")
	flags.IntVar(&o.parts, "parts", 2, "number of part files")
	flags.IntVar(&o.goroutines, "j", runtime.GOMAXPROCS(0), "number of goroutines")
	flags.BoolVar(&o.count, "c", false, "grep: print only the number of matching lines")
	flags.BoolVar(&o.regexp, "e", false, "grep: the pattern is a regular expression")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	want := 1
	if args[0] == "grep" {
		want = 2
	}
	if flags.NArg() != want || o.parts < 1 || o.goroutines < 1 {
		return fmt.Errorf("%s", usage)
	}
	start := time.Now()
	data, unmap, err := limit.Map(flags.Arg(want - 1))
	if err != nil {
		return err
	}
	did, err := o.do(args[0], flags.Arg(0), data, stdout)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%s in %.3f s\n", did, time.Since(start).Seconds())
	return unmap()
}

// do runs the named program and says what it did.
func (o options) do(program, pattern string, data []byte, stdout io.Writer) (string, error) {
	switch program {
	case "wordcount":
		words, distinct, err := limit.WordCount(data, o.goroutines, o.parts, o.dir)
		return fmt.Sprintf("%d words, %d distinct", words, distinct), err
	case "terasort":
		n, err := limit.TeraSort(data, o.goroutines, o.parts, o.dir)
		return fmt.Sprintf("%d records", n), err
	case "sort":
		n, err := limit.SortLines(data, o.goroutines, o.parts, o.dir)
		return fmt.Sprintf("%d lines", n), err
	case "grep":
		return o.grep(pattern, data, stdout)
	default:
		return "", fmt.Errorf("no program named %q\n%s", program, usage)
	}
}

func (o options) grep(text string, data []byte, stdout io.Writer) (string, error) {
	pattern := limit.Literal(text)
	if o.regexp {
		var err error
		if pattern, err = limit.Regexp(text); err != nil {
			return "", err
		}
	}
	lines := stdout
	if o.count {
		lines = nil
	}
	n, err := limit.Grep(data, pattern, o.goroutines, lines)
	if err == nil && o.count {
		_, err = fmt.Fprintln(stdout, n)
	}
	return fmt.Sprintf("%d lines match", n), err
}
