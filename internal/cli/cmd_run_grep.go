package cli

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// grepFlags are the flags of `tarry run grep`.
type grepFlags struct {
	o        jobs.GrepOptions
	patterns []string // of -e

	count, countMatches, files, noNames, recursive, text bool
	perl, extended                                       bool // refused, and without effect
	context                                              jobs.Context
	around                                               int
	color                                                string
	top                                                  int
}

// grepHelp describes grep, and what differs from GNU's.
const grepHelp = `Select the lines that match a pattern, whole and in the order of the input, as GNU grep -E does with
the same flags. Of several files, or a directory, each line has its file's name before it, unless -h
is given.

PATTERN is a regular expression in the syntax of Go's package regexp (RE2: no back references; . is
any character, UTF-8 understood), or with -F a text. Several lines in PATTERN are several patterns.
A PATTERN that begins with - goes after --, or after -e.

What differs from GNU grep:
- The exit code is 4 if nothing was found, where grep's is 1, which here is a job that failed; with
  --state, which may have left what was found to an earlier start, it is 0.
- -q keeps the summary quiet, not the result. -P is refused, and -G, -x, -m and -L do not exist.
- Files with NUL bytes are text; standard error warns of them unless -a is given. Compressed files
  are decompressed.
- Directories are read without -r, too, but for names that begin with _ or a dot. A file that cannot
  be read ends the job.
- -w takes a match only where no letter or digit of ASCII and no underscore is its neighbor.
- A byte that is not UTF-8 is a character: . and [^a] match it, where those of grep do not.
- -o takes texts that match leftmost first: of a|ab the a, where grep takes the longest.
- -n, -l, -c, -A, -B and -C tell files by their names: two of one name are refused. What they find
  goes through one reduce.

`

func newRunGrep(p *program, start starter) *cobra.Command {
	g := new(grepFlags)
	cmd := &cobra.Command{
		Use:   "grep PATTERN IN...",
		Short: "Select the lines that match a pattern",
		Long:  grepHelp + inputHelp,
		Example: `  tarry run grep -n -w -C 2 func 'src/**/*.go'
  tarry run grep -F -i -e error -e warning logs/ --output errors
  tarry run grep --count-matches '[0-9]{3}' access.log.gz --output statuses`,
		Args: func(cmd *cobra.Command, args []string) error {
			least, what := 1, "a pattern and at least one input"
			if cmd.Flags().Changed("regexp") {
				least, what = 0, "at least one input"
			}
			if !g.recursive { // which reads this directory
				least++
			}
			if i := slices.Index(args, ""); i == 0 && g.patterns != nil { // an empty pattern matches every line
				return usageError("an empty argument (see %s --help)", cmd.CommandPath())
			}
			return arguments(least, -1, what)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if g.patterns == nil {
				g.patterns, args = args[:1], args[1:]
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			stages, err := g.stages(cmd, args, p.paints() && cmd.Flag("output").Value.String() == stdoutName)
			if errors.Is(err, jobs.ErrPattern) {
				return usageError("%s", strings.TrimPrefix(err.Error(), jobs.ErrPattern.Error()+": "))
			}
			if err = firstError(err, stages.reduces.check(cmd)); err != nil {
				return err
			}
			stages.all[0].binary = g.text
			return start(cmd, args, stages.all...)
		},
	}
	g.register(cmd)
	return cmd
}

// register adds the flags to the command.
func (g *grepFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Bool("help", false, "help for grep") // -h is another
	f.StringArrayVarP(&g.patterns, "regexp", "e", nil, "a pattern, then PATTERN is left out; may be given several times")
	f.BoolVarP(&g.extended, "extended-regexp", "E", false, "patterns are regular expressions, as they are without it")
	f.BoolVarP(&g.o.Fixed, "fixed-strings", "F", false, "the pattern is a text, not a regular expression")
	f.BoolVarP(&g.perl, "perl-regexp", "P", false, "refused: there are no look-around and no back references")
	f.BoolVarP(&g.o.IgnoreCase, "ignore-case", "i", false, "letters match in either case")
	f.BoolVarP(&g.o.Word, "word-regexp", "w", false, "match whole words only")
	f.BoolVarP(&g.o.Invert, "invert-match", "v", false, "select the lines that do not match")
	f.BoolVarP(&g.recursive, "recursive", "r", false, "read directories, as it does without; without IN this directory")
	f.BoolVarP(&g.text, "text", "a", false, "do not warn of files with NUL bytes, which are text")
	f.BoolVarP(&g.context.Numbers, "line-number", "n", false, "write the number of each line in its file")
	f.BoolVarP(&g.o.FileNames, "with-filename", "H", false, "write the name of each line's file (default: if there are several)")
	f.BoolVarP(&g.noNames, "no-filename", "h", false, "write no names of files")
	f.BoolVarP(&g.o.OnlyMatching, "only-matching", "o", false, "write the texts that match, not their lines")
	number(f, &g.context.After, "after-context", 0, span(0, 1_000_000), "write N lines after each line, too", "A")
	number(f, &g.context.Before, "before-context", 0, span(0, 1_000_000), "write N lines before each line, too", "B")
	number(f, &g.around, "context", 0, span(0, 1_000_000), "write N lines before and after each line, too", "C")
	f.StringVar(&g.color, "color", "auto",
		"mark what matches: auto (on a terminal that takes colors), always or never")
	f.BoolVarP(&g.files, "files-with-matches", "l", false, "write only the names of files with such lines")
	f.BoolVarP(&g.count, "count", "c", false, "write only how many lines there are in each file")
	f.BoolVar(&g.countMatches, "count-matches", false,
		"write each text that matches, tab, how often it does; most frequent first")
	topFlag(cmd, &g.top)
	complete(cmd, "color", "auto", "always", "never")
	needs(cmd, "count-matches", "top")
	excludes(cmd, "count-matches", "invert-match count color files-with-matches line-number only-matching with-filename no-filename "+contextFlags)
	excludes(cmd, "count", "files-with-matches line-number only-matching "+contextFlags)
	excludes(cmd, "files-with-matches", "line-number only-matching with-filename no-filename "+contextFlags)
	excludes(cmd, "only-matching", "invert-match "+contextFlags)
	excludes(cmd, "no-filename", "with-filename")
}

// contextFlags ask for lines beside those that are selected.
const contextFlags = "after-context before-context context"

// paints reports whether standard output is a terminal that takes colors.
func (p *program) paints() bool {
	f, ok := p.stdout.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	kind, _ := p.getenv("TERM")
	plain, _ := p.getenv("NO_COLOR")
	return kind != "dumb" && plain == ""
}

// stages are the jobs of a search: one, or two where the result of the first is to be sorted. terminal
// says that the output is looked at on a screen.
func (g *grepFlags) stages(cmd *cobra.Command, inputs []string, terminal bool) (j jobStages, err error) {
	switch {
	case !slices.Contains([]string{"auto", "always", "never"}, g.color):
		return j, usageError("--color %s: want auto, always or never", words.Shown(g.color))
	case g.perl:
		return j, usageError("--perl-regexp: patterns are RE2's; most of Perl's work without -P, but (?=, (?! and \\1 do not exist")
	}
	o, pattern := g.o, strings.Join(g.patterns, "\n")
	o.Color = g.color == "always" || terminal && g.color == "auto"
	if _, err := jobs.Grep(pattern, o); err != nil {
		return j, err
	}
	if g.countMatches {
		return g.matches(pattern, o)
	}
	// Be they 0: there are lines of dashes between others, too.
	inContext := slices.ContainsFunc(strings.Fields(contextFlags), cmd.Flags().Changed)
	around := g.context
	if !cmd.Flags().Changed("after-context") {
		around.After = g.around
	}
	if !cmd.Flags().Changed("before-context") {
		around.Before = g.around
	}
	reduces := noReduce
	if g.count || g.files || around.Numbers || inContext {
		reduces = oneReduce
	}
	return oneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		o := o
		below := strings.TrimSuffix(inputs[0], "/") + "/"
		several := len(src) != 1 || inputs[0] == "." || strings.HasPrefix(src[0].Name(), below)
		o.FileNames = !g.noNames && (o.FileNames || several)
		var search job[[]byte, []byte]
		var err error
		switch {
		case g.count:
			search, err = jobs.GrepCount(pattern, o, src...)
		case g.files:
			search, err = jobs.GrepFiles(pattern, o, src...)
		case inContext:
			search, err = jobs.GrepContext(pattern, o, around, src...)
		case around.Numbers:
			search, err = jobs.GrepNumbered(pattern, o, src...)
		default:
			search, err = jobs.Grep(pattern, o)
		}
		if errors.Is(err, jobs.ErrSameName) {
			return nil, usageError("%s, which -n, -l, -c, -A, -B and -C do not take", strings.TrimPrefix(err.Error(), "jobs: "))
		}
		if err != nil {
			return nil, err
		}
		return raw(search, chunks)(src, to)
	}, nil).with(reduces), nil
}

// matches are the jobs of --count-matches.
func (g *grepFlags) matches(pattern string, o jobs.GrepOptions) (jobStages, error) {
	job, err := jobs.GrepMatches(pattern, o)
	return jobStages{all: []stage{
		{bind: text(job, chunks)},
		{bind: text(jobs.ByFrequency(), func(src []mapreduce.Source) mapreduce.Input[mapreduce.Pair[[]byte, []byte]] {
			return mapreduce.KeyValueLines('\t', src...)
		})},
	}}.top(g.top, 0), err
}

// found reports whether a search has selected any line.
func found(c *counter.Set) bool { return c.Named(jobs.GrepCounters, jobs.LinesSelected) > 0 }
