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

// print prints what text writes to standard output. text need not check its writes: they go to a
// buffer that keeps the first error.
func (p *program) print(text func(out io.Writer)) error {
	out := bufio.NewWriter(p.stdout)
	text(out)
	return out.Flush()
}

// show prints results: each as a JSON object in a line, otherwise all as print does.
func show[T any](p *program, asJSON bool, results []T, text func(out io.Writer)) (err error) {
	if !asJSON {
		return p.print(text)
	}
	enc := json.NewEncoder(p.stdout)
	for i := 0; err == nil && i < len(results); i++ {
		err = enc.Encode(results[i])
	}
	return err
}

// table prints lines as left-aligned columns, see print. It escapes control characters, because the
// text may come from other users.
func table(out io.Writer, lines [][]string) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, columns := range lines {
		for i, text := range columns {
			columns[i] = words.Printable(text)
		}
		fmt.Fprintln(t, strings.Join(columns, "\t"))
	}
	_ = t.Flush()
}

// figureTable is table with right-aligned columns, for numbers.
func figureTable(out io.Writer, lines [][]string) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, columns := range lines {
		fmt.Fprintln(t, strings.Join(columns, "\t")+"\t")
	}
	_ = t.Flush()
}
