package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// table prints lines of columns for people, the columns to the left. What stands in them may be anybody's.
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

// figureTable is table with the columns to the right, as figures stand.
func figureTable(out io.Writer, lines [][]string) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, columns := range lines {
		fmt.Fprintln(t, strings.Join(columns, "\t")+"\t")
	}
	return t.Flush()
}

// printJSON prints a list as an object a line.
func printJSON[T any](p *program, list []T) error {
	enc := json.NewEncoder(p.stdout)
	for _, one := range list {
		if err := enc.Encode(one); err != nil {
			return err
		}
	}
	return nil
}
