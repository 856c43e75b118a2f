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

func viewCommand(c *command) {
	c.Use, c.Short = "view FILE [OTHER] [-o PAGE.html]", "Write a page that plays a recorded run"
	c.Long = `Write one HTML file with the events that a live or simulated cluster recorded with --events. Any
browser shows it, without a network. It plays the run: racks, nodes and slots, waiting tasks and
their reasons, shares over time, jobs, a Gantt chart, the cost of reduce placement, queues,
findings, and a comparison with OTHER, or with a run that is opened in the page. A click on anything
explains it. The file contains the simulator (3 MB), which computes the price of a wait.

  tarry run wordcount book.txt -o counts --racks 4 --nodes 40 --events run.jsonl
  tarry view run.jsonl -o run.html
  tarry view hfs.jsonl.zst fifo.jsonl.zst -o both.html

FILE may be - for standard input, and PAGE.html - for standard output.`
	output, overwrite := "", false
	c.Args = arguments(1, 2, "one file, or two to compare")
	c.RunE = func(_ *cobra.Command, args []string) error { return c.view(args, output, overwrite) }
	c.Flags().StringVarP(&output, "output", "o", "", "write the page to `PAGE` (default: FILE with the extension .html, in this directory)")
	c.Flags().BoolVar(&overwrite, "overwrite", false, "replace an existing file")
}

// view writes an HTML page that shows one or two recorded runs, whose files of events names lists.
func (c *command) view(names []string, output string, overwrite bool) error {
	if err := refuse(c.Command, idle{output == "-", "with --output -", "overwrite"}); err != nil {
		return err
	}
	switch {
	case len(names) == 2 && names[0] == stdinName && names[1] == stdinName:
		return usageError("standard input is one run, not two")
	case output == "-":
		return c.writePage(c.stdout, names)
	case output == "" && names[0] == stdinName:
		return usageError("--output: where to? Standard input has no name")
	case output == "":
		output = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(names[0]), ".zst"), ".jsonl") + ".html"
	}
	if err := distinctFiles([]namedFile{{"--output", output}}, names); err != nil {
		return err
	}
	for _, name := range names { // a missing file must not destroy an earlier page
		if in, err := c.openArgument(name); err != nil {
			return err
		} else if name != stdinName {
			in.Close()
		}
	}
	mode := os.O_EXCL
	if overwrite {
		mode = os.O_TRUNC
	}
	if err := writeFile(output, mode, func(w io.Writer) error { return c.writePage(w, names) }); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.stderr, "%s: open it in a browser\n", output)
	return err
}

// writePage writes the page of one or two recordings to out. It parses each event: for a wrong line
// it returns an error with the line's number, where the page would be empty.
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
	if dir, err := site.Module(); err == nil { // without it the page says that it has no simulator
		if simulator, err = site.Embedded(dir); err != nil {
			return err
		}
	}
	buffer := bufio.NewWriterSize(out, 1<<16)
	return firstError(page.Write(buffer, runs[0].Name+" – Tarry", runs[0].Events, simulator, runs[1:]...), buffer.Flush())
}
