package cli

import (
	"context"
	"errors"
	"fmt"
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
const genHelp = `Make input for jobs. The same flags give the same bytes.

  text     words of a Zipf vocabulary (--words, --skew), short words frequent, lines of about
           73 bytes
  tera     TeraSort records of 100 bytes: 10 of key, the last a line feed; the size is rounded
           down to whole records
  log      web server log in Apache's combined format
  numbers  a decimal integer a line
  pairs    key, tab, decimal integer; Zipf keys (--words, --skew)
  lines    random printable lines of 0 to 100 characters

and the tables of Hive's benchmark, for tarry run hivesearch, hiveselect, hiveaggregate, hivejoin:

  documents  records of 100 bytes: a key of 10, then a text, which in one of 10,000 has XYZ in it
  rankings   rows of 64 bytes, address|rank|seconds: the same ones for each seed
  visits     client|address|day|revenue|program|country|language|word|seconds, to the first pages
             of rankings (--words), Zipf (--skew)`

// newGen is the command `tarry gen KIND`.
func newGen(p *program) *cobra.Command {
	g := &genFlags{program: p, size: 64 << 20}
	names := make([]string, 0, len(gen.Kinds()))
	for _, k := range gen.Kinds() {
		names = append(names, string(k))
	}
	cmd := &cobra.Command{
		Use:       "gen " + strings.Join(names, "|") + " --size 1GiB --seed 1 -o FILE",
		Short:     "Make deterministic input of any size",
		Long:      genHelp,
		ValidArgs: names,
		Args:      arguments(1, 1, "one kind of input: "+strings.Join(names, ", ")),
		RunE:      g.run,
	}
	f := cmd.Flags()
	number(f, &g.size, "size", g.size, span(0, 1<<44), "size of the output")
	number(f, &g.config.Seed, "seed", 1, seeds, "selects the output among all of its kind")
	number(f, &g.config.Words, "words", 0, span(1, 10_000_000), "vocabulary of text, keys of pairs, pages of visits (default 500000, 1000 or 10000)")
	number(f, &g.config.Skew, "skew", gen.DefaultSkew, span(0, 20),
		"exponent of the Zipf distribution; 0 makes all words equally frequent")
	f.StringVarP(&g.output, "output", "o", "", "file to write; - is standard output")
	f.BoolVar(&g.overwrite, "overwrite", false, "replace an existing file")
	f.BoolVarP(&g.quiet, "quiet", "q", false, "print nothing but errors")
	return cmd
}

// genFlags are the flags of `tarry gen`.
type genFlags struct {
	*program
	config           gen.Config
	size             numbers.Bytes
	output           string
	overwrite, quiet bool
}

func (g *genFlags) run(cmd *cobra.Command, args []string) error {
	g.config.Kind, g.config.Bytes = gen.Kind(args[0]), int64(g.size)
	if g.config.Skew == 0 {
		g.config.Skew = uniform
	}
	vocabulary := slices.Contains([]gen.Kind{"text", "pairs", "visits"}, g.config.Kind)
	err := refuse(cmd, idle{!vocabulary, "with gen " + words.Shown(args[0]) + ", only with gen text, gen pairs and gen visits", "words skew"},
		idle{g.output == "-", "with --output -", "overwrite"})
	if err != nil {
		return err
	}
	if !g.quiet {
		defer g.showGen(&g.config)()
	}
	err = g.config.Validate()
	switch {
	case err != nil:
	case g.output == "":
		return usageError("where to? -o FILE, or -o - for standard output")
	case g.output == "-":
		err = gen.Write(cmd.Context(), g.stdout, g.config)
	case stores.Named(g.output):
		err = genStored(cmd.Context(), g.output, g.config, g.overwrite)
	case isDevice(g.output):
		err = writeDevice(cmd.Context(), g.output, g.config)
	default:
		err = outputError(g.output, gen.WriteFile(cmd.Context(), g.output, g.config, g.overwrite))
	}
	if errors.Is(err, gen.ErrConfig) {
		return usageError("%s", strings.ReplaceAll(err.Error(), gen.ErrConfig.Error()+": ", ""))
	}
	return err
}

// showGen shows how much is written until stop is called.
func (p *program) showGen(c *gen.Config) (stop func()) {
	var written atomic.Int64
	c.Progress = written.Store
	size := c.Bytes
	return p.display.Show([]string{string(c.Kind)}, func() progress.State {
		n := written.Load()
		return progress.One(string(c.Kind), float64(n)/float64(max(size, 1)), numbers.Human(n)+" of "+numbers.Human(size))
	})
}

// genStored writes generated input to a file of a store.
func genStored(ctx context.Context, name string, c gen.Config, overwrite bool) error {
	store, within, err := stores.Open(name)
	if err != nil {
		return err
	}
	if _, err := store.Stat(within); err == nil && !overwrite {
		return configError("%s: output exists (--overwrite replaces it)", name)
	}
	f, err := stores.Create(store, within)
	if err != nil {
		return plainPathError(name, err)
	}
	if err = gen.Write(ctx, f, c); err != nil {
		err = errors.Join(err, f.Abort())
	} else {
		err = f.Close()
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", name, at.Err)
	}
	return err
}

// uniform is a skew that gives all words the same weight; 0 is the default of package gen.
const uniform = 1e-9

// isDevice reports whether a name is that of a pipe or device, which is written to and not
// replaced.
func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// writeDevice writes generated input to a pipe or device.
func writeDevice(ctx context.Context, name string, c gen.Config) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return plainPathError(name, err)
	}
	return errors.Join(gen.Write(ctx, f, c), f.Close())
}
