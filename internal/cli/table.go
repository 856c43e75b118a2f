package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// table prints lines as left-aligned columns. It escapes control characters, because the text may
// come from other users.
func table(out io.Writer, lines [][]string) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, columns := range lines {
		for i, text := range columns {
			columns[i] = words.Printable(text)
		}
		fmt.Fprintln(t, strings.Join(columns, "\t"))
	}
	return t.Flush()
}

// figureTable is table with right-aligned columns, for numbers.
func figureTable(out io.Writer, lines [][]string) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, columns := range lines {
		fmt.Fprintln(t, strings.Join(columns, "\t")+"\t")
	}
	return t.Flush()
}

// print prints a result to standard output: as JSON, otherwise by text.
func (p *program) print(asJSON bool, result any, text func(io.Writer) error) error {
	if asJSON {
		return json.NewEncoder(p.stdout).Encode(result)
	}
	out := bufio.NewWriter(p.stdout)
	return firstError(text(out), out.Flush())
}

// printJSON prints a list as one JSON object per line.
func printJSON[T any](p *program, list []T) error {
	enc := json.NewEncoder(p.stdout)
	for _, one := range list {
		if err := enc.Encode(one); err != nil {
			return err
		}
	}
	return nil
}
