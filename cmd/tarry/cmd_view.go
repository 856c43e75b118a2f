package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/cmd/tarry/internal/eventlog"
	"github.com/tarry-mr/tarry/page"
)

// viewFlags are the flags of `tarry view`.
type viewFlags struct {
	output    string
	overwrite bool
}

// newView is the command `tarry view`.
func newView(p *program) *cobra.Command {
	var f viewFlags
	cmd := &cobra.Command{
		Use:   "view FILE [-o PAGE.html]",
		Short: "Make a page on which a recorded run can be watched",
		Long: `Make one HTML file of what a live or simulated cluster recorded with --events: any browser shows it,
without a network. It plays the run, step by step if wished: racks, nodes and slots with what waits
for what, shares over time, jobs, a Gantt chart, where reduces went and what that cost, HFSP's
virtual cluster, queues, findings, and a comparison with another run. A click on anything says why.

  tarry run wordcount book.txt -o counts --racks 4 --nodes 40 --events run.jsonl
  tarry view run.jsonl -o run.html
  tarry sim --workload facebook-io --nodes 100 --events sim.jsonl.zst
  tarry view sim.jsonl.zst

FILE may be - for standard input, and PAGE.html - for standard output.`,
		Args:              arguments(1, 1, "one file"),
		ValidArgsFunction: filesNamed("jsonl", "zst"),
		RunE:              func(_ *cobra.Command, args []string) error { return f.run(p, args[0]) },
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "the page; default: FILE with the ending .html, in this directory")
	cmd.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace an existing file")
	return cmd
}

// pageOf is the name of the page of a file of events.
func pageOf(name string) string {
	base := filepath.Base(name)
	for _, ending := range []string{".zst", ".jsonl"} {
		base = strings.TrimSuffix(base, ending)
	}
	return base + ".html"
}

// run reads the events and writes the page.
func (f *viewFlags) run(p *program, name string) error {
	output := f.output
	if output == "" {
		if name == stdinName {
			return usageError("--output: where to? Standard input has no name")
		}
		output = pageOf(name)
	}
	if output != stdinName {
		if err := distinctFiles([]namedFile{{"--output", output}}, []string{name}); err != nil {
			return err
		}
	}
	in, err := p.openArgument(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if output == stdinName {
		return writePage(p.stdout, name, in)
	}
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if f.overwrite {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(output, mode, 0o666)
	if err != nil {
		return outputError(output, err)
	}
	if err := firstError(writePage(file, name, in), file.Close()); err != nil {
		return errors.Join(err, os.Remove(output))
	}
	_, err = fmt.Fprintf(p.stderr, "%s: open it in a browser\n", output)
	return err
}

// writePage writes the page of a file of events. Each is read and written anew, so that what is no
// event is an error with its line and not a page that shows nothing.
func writePage(out io.Writer, name string, in io.Reader) error {
	lines, write := io.Pipe()
	read := make(chan error, 1)
	go func() {
		buffer := bufio.NewWriterSize(write, 1<<16)
		var line []byte
		n := 0
		err := eventlog.Read(in, func(e actors.Event) error {
			n++
			line = append(e.AppendJSON(line[:0]), '\n')
			_, err := buffer.Write(line)
			return err
		})
		switch {
		case err != nil:
			err = fmt.Errorf("%s:%w", name, err)
		case n == 0:
			err = fmt.Errorf("%s: there is no event in it", name)
		default:
			err = buffer.Flush()
		}
		read <- err
		_ = write.CloseWithError(err)
	}()
	buffer := bufio.NewWriterSize(out, 1<<16)
	err := firstError(page.Write(buffer, filepath.Base(name)+" – Tarry", lines), buffer.Flush())
	_ = lines.CloseWithError(io.ErrClosedPipe) // who still writes to it
	if broken := <-read; broken != nil && !errors.Is(broken, io.ErrClosedPipe) {
		return broken
	}
	return err
}
