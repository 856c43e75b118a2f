package cli

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
	"github.com/tarry-mr/tarry/actors/page"
	"github.com/tarry-mr/tarry/actors/play/site"
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
without a network. It plays the run: racks, nodes and slots with what waits for what, shares over
time, jobs, a Gantt chart, where reduces went and what that cost, queues, findings, and a comparison
with OTHER, or with a run that is opened in the page. A click on anything says why. The simulator is
in the file, 3 MB, and tells what if a job had not waited.

  tarry run wordcount book.txt -o counts --racks 4 --nodes 40 --events run.jsonl
  tarry view run.jsonl -o run.html
  tarry view hfs.jsonl.zst fifo.jsonl.zst -o both.html

FILE may be - for standard input, and PAGE.html - for standard output.`,
		Args: arguments(1, 2, "one file, or two to compare"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(p, cmd, args) },
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "the page; default: FILE with the ending .html, in this directory")
	cmd.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace an existing file")
	return cmd
}

// run reads the events and writes the page.
func (f *viewFlags) run(p *program, cmd *cobra.Command, names []string) error {
	if err := refuse(cmd, idle{f.output == "-", "with --output -", "overwrite"}); err != nil {
		return err
	}
	output := f.output
	switch {
	case len(names) == 2 && names[0] == stdinName && names[1] == stdinName:
		return usageError("standard input is one run, not two")
	case output == "-":
		return p.writePage(p.stdout, names)
	case output == "" && names[0] == stdinName:
		return usageError("--output: where to? Standard input has no name")
	case output == "":
		output = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(names[0]), ".zst"), ".jsonl") + ".html"
	}
	if err := distinctFiles([]namedFile{{"--output", output}}, names); err != nil {
		return err
	}
	for _, name := range names { // what is not there is not to cost an earlier page
		if in, err := p.openArgument(name); err != nil {
			return err
		} else if name != stdinName {
			in.Close()
		}
	}
	mode := os.O_EXCL
	if f.overwrite {
		mode = os.O_TRUNC
	}
	if err := writeFile(output, mode, func(w io.Writer) error { return p.writePage(w, names) }); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.stderr, "%s: open it in a browser\n", output)
	return err
}

// writePage writes the page of a file of events, or of two. Each event is read, so that what is no event
// is an error with its line and not a page that shows nothing.
func (p *program) writePage(out io.Writer, names []string) error {
	var runs []page.Other
	for _, name := range names {
		read, write := io.Pipe()
		defer read.Close() // ends the goroutine that writes to it
		go func() {
			lines := bufio.NewWriterSize(write, 1<<16)
			var line []byte
			err := p.readEvents(name, func(e *actors.Event) error {
				line = append(e.AppendJSON(line[:0]), '\n')
				_, err := lines.Write(line)
				return err
			})
			_ = write.CloseWithError(errors.Join(err, lines.Flush()))
		}()
		runs = append(runs, page.Other{Name: filepath.Base(name), Events: read})
	}
	simulator := page.Simulator{}
	if dir, err := site.Module(); err == nil { // else the page says that it has none
		if simulator, err = site.Embedded(dir); err != nil {
			return err
		}
	}
	buffer := bufio.NewWriterSize(out, 1<<16)
	return firstError(page.Write(buffer, runs[0].Name+" – Tarry", runs[0].Events, simulator, runs[1:]...), buffer.Flush())
}
