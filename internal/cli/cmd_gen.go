package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/internal/gen"
)

// genHelp describes the kinds of input.
const genHelp = `Make input for jobs. The same flags write the same bytes.

  text     words of a Zipf vocabulary (--words, --skew), short words frequent, lines of about
           73 bytes
  tera     TeraSort records of 100 bytes, with a key of 10 and a line feed at the end; the size is
           rounded down to whole records
  log      web server log in Apache's combined format
  numbers  a decimal integer a line
  pairs    key, tab, decimal integer; Zipf keys (--words, --skew)
  lines    random printable lines of 0 to 100 characters

and the tables of Hive's benchmark, for tarry run hivesearch, hiveselect, hiveaggregate, hivejoin:

  documents  records of 100 bytes: a key of 10, then a text; one text in 10,000 contains XYZ
  rankings   rows of 64 bytes, address|rank|seconds, equal for all seeds
  visits     client|address|day|revenue|program|country|language|word|seconds, to the first pages
             of rankings (--words), Zipf (--skew)`

// genFlags are the flags of `tarry gen`.
type genFlags struct {
	*command

	config           gen.Config
	output           string
	overwrite, quiet bool
}

func genCommand(c *command) {
	g := &genFlags{command: c}
	for _, k := range gen.Kinds() {
		c.ValidArgs = append(c.ValidArgs, string(k))
	}
	c.Use = "gen " + strings.Join(c.ValidArgs, "|") + " --size SIZE -o FILE"
	c.Short, c.Long = "Make deterministic input of any size", genHelp
	c.Args = arguments(1, 1, "one kind of input: "+strings.Join(c.ValidArgs, ", "))
	c.RunE = func(_ *cobra.Command, args []string) error {
		g.config.Kind = gen.Kind(args[0])
		err := g.run()
		if errors.Is(err, gen.ErrConfig) {
			return usageError("%s", strings.ReplaceAll(err.Error(), gen.ErrConfig.Error()+": ", ""))
		}
		return err
	}
	f := c.Flags()
	number(f, (*numbers.Bytes)(&g.config.Bytes), "size", 64<<20, span(0, 1<<44), "write this size")
	number(f, &g.config.Seed, "seed", 1, seeds, "draw the data from this seed")
	number(f, &g.config.Words, "words", 0, span(1, 10_000_000), "draw from `N` words of text, keys of pairs or pages of visits (default 500000, 1000 or 10000)")
	number(f, &g.config.Skew, "skew", gen.DefaultSkew, span(0, 20),
		"exponent of the Zipf distribution; 0 makes all words equally frequent")
	f.StringVarP(&g.output, "output", "o", "", "write to `FILE`; - is standard output")
	f.BoolVar(&g.overwrite, "overwrite", false, "replace an existing file")
	f.BoolVarP(&g.quiet, "quiet", "q", false, "print nothing but errors")
}

// run writes the generated input.
func (g *genFlags) run() error {
	c := &g.config
	if c.Skew == 0 {
		c.Skew = 1e-9 // package gen reads 0 as its default skew
	}
	vocabulary := slices.Contains([]gen.Kind{"text", "pairs", "visits"}, c.Kind)
	if err := firstError(
		refuse(g.Command, idle{!vocabulary, "with gen " + words.Shown(string(c.Kind)) + ", only with gen text, gen pairs and gen visits", "words skew"},
			idle{g.output == "-", "with --output -", "overwrite"}),
		c.Validate(),
	); err != nil {
		return err
	}
	if !g.quiet {
		var written atomic.Int64
		c.Progress = written.Store
		defer g.display.Show(func() string {
			n := written.Load()
			return progress.Part(string(c.Kind), float64(n)/float64(max(c.Bytes, 1)), amount(n)+" of "+amount(c.Bytes))
		})()
	}
	info, err := os.Stat(g.output)
	switch ctx := g.Context(); {
	case g.output == "":
		return usageError("where to? -o FILE, or -o - for standard output")
	case g.output == "-":
		return gen.Write(ctx, g.stdout, *c)
	case stores.Named(g.output):
		return g.store(ctx)
	case err == nil && !info.Mode().IsRegular() && !info.IsDir(): // pipes and devices are not replaced
		return writeFile(g.output, 0, func(w io.Writer) error { return gen.Write(ctx, w, *c) })
	}
	return outputError(g.output, gen.WriteFile(g.Context(), g.output, *c, g.overwrite))
}

// store writes the generated input to the file of a store that --output names.
func (g *genFlags) store(ctx context.Context) error {
	store, within, err := stores.Open(g.output)
	if err != nil {
		return err
	}
	if _, err := store.Stat(within); err == nil && !g.overwrite {
		return outputError(g.output, fs.ErrExist)
	}
	f, err := stores.Create(store, within)
	if err != nil {
		return plainPathError(g.output, err)
	}
	if err = gen.Write(ctx, f, g.config); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}
