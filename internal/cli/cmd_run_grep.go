package cli

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// grepFlags are the flags of `tarry run grep`.
type grepFlags struct {
	o                                       jobs.GrepOptions
	count, countMatches, lineNumbers, files bool
	color                                   string
	top                                     int
}

func newRunGrep(p *program, start starter) *cobra.Command {
	g := new(grepFlags)
	cmd := &cobra.Command{
		Use:   "grep PATTERN IN... -o OUT",
		Short: "Select the lines that match a pattern",
		Long: `Select the lines that match a pattern, whole and in the order of the input: the parts one after the
other are what grep -h -a gives. A last line without a line feed gets one.

PATTERN is a regular expression in the syntax of Go's package regexp (RE2: no back references; . is
any character, UTF-8 understood), or with -F a text. Several lines in PATTERN are several patterns.
A PATTERN that begins with - goes after --. -w takes a match only where no letter or digit of ASCII
and no underscore is its neighbor.

-n adds up the lines of a file over its splits, in one reduce that all lines found go through: two
files of one name are refused, as they are with -l. --only-matching, grep's -o, writes texts that
match leftmost first: of a|ab the a, where grep takes the longest.

The exit code is 4 if the job is done and nothing was found, where grep's is 1, which here is a job
that failed; with --state, which may have left what was found to an earlier start, it is 0.

` + inputHelp,
		Example: `  tarry run grep 'center|gravity' 'docs/**/*.md' -o -
  tarry run grep -n -w -H func 'src/**/*.go' -o -
  tarry run grep -F -i error logs/ -o errors
  tarry run grep --count-matches '[0-9]{3}' access.log.gz -o statuses`,
		Args: arguments(2, -1, "a pattern and at least one input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := g.options(p.paints() && cmd.Flag("output").Value.String() == "-")
			var stages []stage
			if err == nil {
				stages, err = g.stages(args[0], o)
			}
			if errors.Is(err, jobs.ErrPattern) {
				return usageError("%s", strings.TrimPrefix(err.Error(), jobs.ErrPattern.Error()+": "))
			}
			if err == nil {
				err = g.checkReduces(cmd)
			}
			if err != nil {
				return err
			}
			return start(cmd, args[1:], stages...)
		},
	}
	g.register(cmd)
	return cmd
}

// register adds the flags to the command.
func (g *grepFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVarP(&g.o.Fixed, "fixed-strings", "F", false, "the pattern is a text, not a regular expression")
	f.BoolVarP(&g.o.IgnoreCase, "ignore-case", "i", false, "letters match in either case")
	f.BoolVarP(&g.o.Word, "word-regexp", "w", false, "match whole words only")
	f.BoolVarP(&g.o.Invert, "invert-match", "v", false, "select the lines that do not match")
	f.BoolVarP(&g.lineNumbers, "line-number", "n", false, "write the number of each line in its file")
	f.BoolVarP(&g.o.FileNames, "with-filename", "H", false, "write the name of each line's file")
	f.BoolVar(&g.o.OnlyMatching, "only-matching", false, "write the texts that match, not their lines")
	f.StringVar(&g.color, "color", "auto",
		"mark what matches: auto (on a terminal that takes colors), always or never")
	f.BoolVarP(&g.files, "files-with-matches", "l", false, "write only the names of files with such lines")
	f.BoolVarP(&g.count, "count", "c", false, "write only how many lines there are")
	f.BoolVar(&g.countMatches, "count-matches", false,
		"write each text that matches, tab, how often it does; most frequent first")
	topFlag(cmd, &g.top)
	complete(cmd, "color", "auto", "always", "never")
	needs(cmd, "count-matches", "top")
	excludes(cmd, "count-matches", "invert-match count color files-with-matches line-number with-filename only-matching")
	excludes(cmd, "count", "color files-with-matches line-number with-filename only-matching")
	excludes(cmd, "files-with-matches", "line-number with-filename only-matching")
	excludes(cmd, "only-matching", "invert-match")
}

// options are those of the job; terminal says that somebody looks at the output on a screen.
func (g *grepFlags) options(terminal bool) (jobs.GrepOptions, error) {
	o := g.o
	switch g.color {
	case "auto":
		o.Color = terminal
	case "always":
		o.Color = true
	case "never":
	default:
		return o, usageError("--color %s: want auto, always or never", words.Shown(g.color))
	}
	return o, nil
}

// paints tells whether standard output is a terminal that takes colors.
func (p *program) paints() bool {
	f, ok := p.stdout.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	kind, _ := p.getenv("TERM")
	plain, _ := p.getenv("NO_COLOR")
	return kind != "dumb" && plain == ""
}

// stages are the jobs of a search: one, or two where the result of the first is to be sorted.
func (g *grepFlags) stages(pattern string, o jobs.GrepOptions) ([]stage, error) {
	switch {
	case g.count:
		job, err := jobs.GrepCount(pattern, o)
		return oneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			return job.Bind(mapreduce.Chunks(src...), mapreduce.Text[int64](to))
		}, nil).all, err
	case g.countMatches:
		job, err := jobs.GrepMatches(pattern, o)
		list := jobStages{all: []stage{
			{bind: func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
				return job.Bind(mapreduce.Chunks(src...), mapreduce.Text[jobs.CountFirst](to))
			}},
			{bind: func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
				return jobs.ByFrequency().Bind(mapreduce.KeyValueLines('\t', src...), mapreduce.Text[jobs.Count](to))
			}},
		}}
		return list.top(g.top, 0).all, err
	case g.files:
		_, err := jobs.GrepFiles(pattern, o)
		return oneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			job, err := jobs.GrepFiles(pattern, o, src...)
			if err != nil {
				return nil, named("--files-with-matches", err)
			}
			return job.Bind(mapreduce.Chunks(src...), mapreduce.Raw[[]byte](to))
		}, nil).all, err
	case g.lineNumbers:
		_, err := jobs.GrepNumbered(pattern, o)
		return oneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			job, err := jobs.GrepNumbered(pattern, o, src...)
			if err != nil {
				return nil, named("--line-number", err)
			}
			return job.Bind(mapreduce.Chunks(src...), mapreduce.Raw[[]byte](to))
		}, nil).all, err
	default:
		job, err := jobs.Grep(pattern, o)
		return oneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			return job.Bind(mapreduce.Chunks(src...), mapreduce.Raw[[]byte](to))
		}, nil).all, err
	}
}

// named is the error of a job that is given two files of one name, with the flag that minds.
func named(flag string, err error) error {
	if errors.Is(err, jobs.ErrSameName) {
		return usageError("%s: %s", flag, strings.TrimPrefix(err.Error(), "jobs: "))
	}
	return err
}

// checkReduces refuses a number of reduces, or what is said of them, where grep has one or none.
func (g *grepFlags) checkReduces(cmd *cobra.Command) error {
	switch {
	case g.countMatches:
		return nil
	case g.count, g.lineNumbers, g.files:
		return oneReduce.check(cmd)
	}
	return noReduce.check(cmd)
}

// found tells whether a search has selected any line.
func found(c *mapreduce.Counters) bool { return c.Named(jobs.GrepCounters, jobs.LinesSelected) > 0 }
