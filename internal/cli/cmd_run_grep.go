package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// grepFlags are the flags of `tarry run grep`.
type grepFlags struct {
	*jobCommand

	o        jobs.GrepOptions
	patterns []string // of -e

	count, countMatches, files, noNames, recursive, text bool
	perl, extended                                       bool // rejected, and without effect
	context                                              jobs.Context
	around                                               int
	color, pattern                                       string // pattern: one per line
}

// grepHelp describes grep and its differences from GNU grep.
const grepHelp = `Select the lines that match a pattern, in the order of the input, as GNU grep -E does with the same
flags. If IN is a directory or several files, each line follows the name of its file, unless -h is
given.

PATTERN is a regular expression in the syntax of Go's package regexp (RE2: no back references; .
matches any character, in UTF-8), or with -F a text. Each line of PATTERN is a pattern. A PATTERN
that begins with - goes after -- or -e.

Differences from GNU grep:
- The exit code is 4 if no line matches. In grep it is 1, which here means a failed job. With
  --state it is 0, because an earlier start may have found lines.
- -q hides the summary, not the result. -P is rejected, and -G, -x, -m and -L do not exist.
- Files with NUL bytes are text; standard error warns of them unless -a is given. Compressed files
  are decompressed.
- Directories are read even without -r, except names that begin with _ or a dot. An unreadable file
  fails the job.
- -w accepts a match only if its neighbors are not ASCII letters, ASCII digits or underscores.
- A byte that is not UTF-8 is a character: . and [^a] match it, and do not in grep.
- -o prefers the first alternative: for a|ab it takes a, where grep takes the longest match.
- -n, -l, -c, -A, -B and -C distinguish files by name, and reject two files of one name. They use
  one reduce.`

func grepJob(j *jobCommand) {
	g := &grepFlags{jobCommand: j}
	j.Use, j.Short = "grep PATTERN", "Select the lines that match a pattern"
	j.Long = grepHelp
	j.Example = `  tarry run grep -n -w -C 2 func 'src/**/*.go'
  tarry run grep -F -i -e error -e warning logs/ --output errors
  tarry run grep --count-matches '[0-9]{3}' access.log.gz --output statuses`
	j.Args = func(cmd *cobra.Command, args []string) error {
		least, what := 1, "a pattern and at least one input"
		if g.patterns != nil {
			least, what = 0, "at least one input"
		}
		if !g.recursive { // -r reads this directory
			least++
		}
		if i := slices.Index(args, ""); i == 0 && g.patterns != nil { // an empty pattern matches every line
			return usageError("an empty argument (see %s --help)", cmd.CommandPath())
		}
		return arguments(least, -1, what)(cmd, args)
	}
	j.make = func() (serve.Stage, error) {
		stage, err := g.stage()
		if errors.Is(err, jobs.ErrPattern) {
			return nil, errors.New(strings.TrimPrefix(err.Error(), jobs.ErrPattern.Error()+": "))
		}
		return stage, err
	}
	g.register()
}

// register adds the flags.
func (g *grepFlags) register() {
	cmd, f := g.Command, g.Flags()
	f.Bool("help", false, "help for grep") // -h has another meaning
	f.StringArrayVarP(&g.patterns, "regexp", "e", nil, "search for this `PATTERN` instead of the first argument; may be repeated")
	f.BoolVarP(&g.extended, "extended-regexp", "E", false, "take patterns as regular expressions, as without this flag")
	f.BoolVarP(&g.o.Fixed, "fixed-strings", "F", false, "take the pattern as text, not as a regular expression")
	f.BoolVarP(&g.perl, "perl-regexp", "P", false, "rejected: look-around and back references do not exist")
	f.BoolVarP(&g.o.IgnoreCase, "ignore-case", "i", false, "ignore case")
	f.BoolVarP(&g.o.Word, "word-regexp", "w", false, "match whole words only")
	f.BoolVarP(&g.o.Invert, "invert-match", "v", false, "select the lines that do not match")
	f.BoolVarP(&g.recursive, "recursive", "r", false, "read directories, as without this flag; without IN read this directory")
	f.BoolVarP(&g.text, "text", "a", false, "do not warn of files with NUL bytes")
	f.BoolVarP(&g.context.Numbers, "line-number", "n", false, "write the number of each line in its file")
	f.BoolVarP(&g.o.FileNames, "with-filename", "H", false, "write the name of each line's file (default: if there are several files)")
	f.BoolVarP(&g.noNames, "no-filename", "h", false, "do not write the names of files")
	f.BoolVarP(&g.o.OnlyMatching, "only-matching", "o", false, "write only the matching texts, one per line")
	number(f, &g.context.After, "after-context", 0, span(0, 1_000_000), "also write `N` lines after each line", "A")
	number(f, &g.context.Before, "before-context", 0, span(0, 1_000_000), "also write `N` lines before each line", "B")
	number(f, &g.around, "context", 0, span(0, 1_000_000), "also write `N` lines before and after each line", "C")
	f.StringVar(&g.color, "color", "auto",
		"color the matching texts: auto (on a terminal with colors), always or never")
	f.BoolVarP(&g.files, "files-with-matches", "l", false, "write only the names of files with selected lines")
	f.BoolVarP(&g.count, "count", "c", false, "write only the number of selected lines of each file")
	f.BoolVar(&g.countMatches, "count-matches", false,
		"write each matching text, a tab and its count, in descending order of counts")
	g.topFlag()
	complete(cmd, "color", "auto", "always", "never")
	needs(cmd, "count-matches", "top")
	excludes(cmd, "count-matches", "invert-match count color files-with-matches line-number only-matching with-filename no-filename "+contextFlags)
	excludes(cmd, "count", "files-with-matches line-number only-matching "+contextFlags)
	excludes(cmd, "files-with-matches", "line-number only-matching with-filename no-filename "+contextFlags)
	excludes(cmd, "only-matching", "invert-match "+contextFlags)
	excludes(cmd, "no-filename", "with-filename")
}

// contextFlags are the flags that also print lines before or after each selected line.
const contextFlags = "after-context before-context context"

// paints reports whether output may have colors: it goes to a terminal, and no variable forbids it.
func (p *program) paints() bool {
	f, ok := p.stdout.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	kind, _ := p.getenv("TERM")
	plain, _ := p.getenv("NO_COLOR")
	return kind != "dumb" && plain == ""
}

// stage returns the stage that searches. For --count-matches it also sets then, which sorts counts.
func (g *grepFlags) stage() (serve.Stage, error) {
	switch {
	case !slices.Contains([]string{"auto", "always", "never"}, g.color):
		return nil, usageError("--color %s: want auto, always or never", words.Shown(g.color))
	case g.perl:
		return nil, usageError("--perl-regexp: patterns are RE2's; most of Perl's work without -P, but (?=, (?! and \\1 do not exist")
	case g.patterns == nil:
		g.patterns, g.Inputs = g.Inputs[:1], g.Inputs[1:]
	}
	if len(g.Inputs) == 0 {
		g.Inputs = []string{"."}
	}
	g.binary = g.text
	g.pattern = strings.Join(g.patterns, "\n")
	g.o.Color = g.color == "always" || g.color == "auto" && g.Output == stdoutName && g.paints()
	if _, err := jobs.Grep(g.pattern, g.o); err != nil {
		return nil, err
	}
	if g.countMatches {
		g.then = text(jobs.ByFrequency(), func(src []mapreduce.Source) mapreduce.Input[mapreduce.Pair[[]byte, []byte]] {
			return mapreduce.KeyValueLines('\t', src...)
		})
		matches, err := jobs.GrepMatches(g.pattern, g.o)
		return text(matches, chunks), err
	}
	g.context.Separated = slices.ContainsFunc(strings.Fields(contextFlags), g.Flags().Changed) // even with 0 lines
	if !g.Flags().Changed("after-context") {
		g.context.After = g.around
	}
	if !g.Flags().Changed("before-context") {
		g.context.Before = g.around
	}
	g.reduces = noReduce
	if g.count || g.files || g.context.Numbers || g.context.Separated {
		g.reduces = oneReduce
	}
	inputs := g.Inputs
	return func(
		ctx context.Context, run serve.Runner, src []mapreduce.Source, to mapreduce.Destination,
	) (*mapreduce.Plan, error) {
		o := g.o
		below := strings.TrimSuffix(inputs[0], "/") + "/"
		several := len(src) != 1 || inputs[0] == "." || strings.HasPrefix(src[0].Name(), below)
		o.FileNames = !g.noNames && (o.FileNames || several)
		search, err := g.search(o, src)
		if errors.Is(err, jobs.ErrSameName) {
			return nil, usageError("%s, which -n, -l, -c, -A, -B and -C do not take", strings.TrimPrefix(err.Error(), "jobs: "))
		}
		if err != nil {
			return nil, err
		}
		return raw(search, chunks)(ctx, run, src, to)
	}, nil
}

// search returns the job for the flags: counts, names of files, lines with context, or lines alone.
func (g *grepFlags) search(o jobs.GrepOptions, src []mapreduce.Source) (job[[]byte, []byte], error) {
	switch {
	case g.count:
		return jobs.GrepCount(g.pattern, o, src...)
	case g.files:
		return jobs.GrepFiles(g.pattern, o, src...)
	case g.context.Numbers || g.context.Separated:
		return jobs.GrepContext(g.pattern, o, g.context, src...)
	default:
		return jobs.Grep(g.pattern, o)
	}
}

// found reports whether a search has selected any line.
func found(c *counter.Set) bool { return c.Named(jobs.GrepCounters, jobs.LinesSelected) > 0 }
