package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/page"
	"github.com/tarry-mr/tarry/internal/cli/internal/eventlog"
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
		Use:   "view FILE [OTHER] [-o PAGE.html]",
		Short: "Make a page on which a recorded run can be watched",
		Long: `Make one HTML file of what a live or simulated cluster recorded with --events: any browser shows it,
without a network. It plays the run, step by step if wished: racks, nodes and slots with what waits
for what, shares over time, jobs, a Gantt chart, where reduces went and what that cost, HFSP's
virtual cluster, queues, findings, and a comparison with another run: that of OTHER, or one that is
opened in the page. A click on anything says why.

  tarry run wordcount book.txt -o counts --racks 4 --nodes 40 --events run.jsonl
  tarry view run.jsonl -o run.html
  tarry sim --workload facebook-io --nodes 100 --events sim.jsonl.zst
  tarry view sim.jsonl.zst
  tarry view hfs.jsonl.zst fifo.jsonl.zst -o both.html

FILE may be - for standard input, and PAGE.html - for standard output.`,
		Args:              arguments(1, 2, "one file, or two to compare"),
		ValidArgsFunction: filesNamed("jsonl", "zst"),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(p, cmd, args) },
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
func (f *viewFlags) run(p *program, cmd *cobra.Command, names []string) error {
	if err := refuse(cmd, idle{f.output == "-", "with --output -", "overwrite"}); err != nil {
		return err
	}
	name := names[0]
	if len(names) == 2 && name == stdinName && names[1] == stdinName {
		return usageError("standard input is one run, not two")
	}
	output := f.output
	if output == "" {
		if name == stdinName {
			return usageError("--output: where to? Standard input has no name")
		}
		output = pageOf(name)
	}
	if output != stdinName {
		if err := distinctFiles([]namedFile{{"--output", output}}, names); err != nil {
			return err
		}
	}
	runs := make([]recordedRun, len(names))
	for i, name := range names {
		in, err := p.openArgument(name)
		if err != nil {
			return err
		}
		defer in.Close()
		runs[i] = recordedRun{name, in}
	}
	if output == stdinName {
		return writePage(p.stdout, runs)
	}
	mode := os.O_EXCL
	if f.overwrite {
		mode = os.O_TRUNC
	}
	if err := writeFile(output, mode, func(w io.Writer) error { return writePage(w, runs) }); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.stderr, "%s: open it in a browser\n", output)
	return err
}

// recordedRun is a file of events.
type recordedRun struct {
	name string
	in   io.Reader
}

// writePage writes the page of a file of events, or of two.
func writePage(out io.Writer, runs []recordedRun) error {
	var lines []io.Reader
	for i := range runs {
		read, write := io.Pipe()
		defer read.Close() // ends who still writes to it
		go func() { _ = write.CloseWithError(runs[i].copyTo(write)) }()
		lines = append(lines, read)
	}
	var others []page.Other
	for i, l := range lines[1:] {
		others = append(others, page.Other{Name: filepath.Base(runs[i+1].name), Events: l})
	}
	buffer := bufio.NewWriterSize(out, 1<<16)
	return firstError(page.Write(buffer, filepath.Base(runs[0].name)+" – Tarry", lines[0], others...), buffer.Flush())
}

// copyTo writes the events of the file. Each is read, so that what is no event is an error with its line
// and not a page that shows nothing.
func (r *recordedRun) copyTo(out io.Writer) error {
	n, err := eventlog.Copy(out, r.in)
	switch {
	case err != nil:
		return fmt.Errorf("%s:%w", r.name, err)
	case n == 0:
		return fmt.Errorf("%s: there is no event in it", r.name)
	}
	return nil
}
