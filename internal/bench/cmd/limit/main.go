// Limit runs one of the hand-tuned programs of package limit:
//
//	limit wordcount|terasort [flags] FILE
//
// It prints what it did, and how long that took inside the process, to standard error. With -o DIR
// the results are written as part files, otherwise discarded.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/tarry-mr/tarry/internal/bench/limit"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "limit:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: limit wordcount|terasort [-o DIR] [-parts N] [-j N] FILE")

func run(args []string, stderr io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	flags := flag.NewFlagSet("limit "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("o", "", "write part files to `DIR`; default: discard the result")
	parts := flags.Int("parts", 2, "number of part files")
	goroutines := flags.Int("j", runtime.GOMAXPROCS(0), "number of goroutines")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if flags.NArg() != 1 || *parts < 1 || *goroutines < 1 {
		return errUsage
	}
	start := time.Now()
	data, unmap, err := limit.Map(flags.Arg(0))
	if err != nil {
		return err
	}
	did := ""
	switch args[0] {
	case "wordcount":
		words, distinct, failed := limit.WordCount(data, *goroutines, *parts, *dir)
		did, err = fmt.Sprintf("%d words, %d distinct", words, distinct), failed
	case "terasort":
		n, failed := limit.TeraSort(data, *goroutines, *parts, *dir)
		did, err = fmt.Sprintf("%d records", n), failed
	default:
		err = errUsage
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%s in %.3f s\n", did, time.Since(start).Seconds())
	return unmap()
}
