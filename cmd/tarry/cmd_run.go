package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/cmd/tarry/internal/words"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// stage binds one job of a run to its input and output. The stages of a run follow each other: each
// reads what the one before it wrote.
type stage func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error)

// newRun is the command `tarry run JOB`.
func newRun(p *program) *cobra.Command {
	r, list := new(runFlags), false
	cmd := &cobra.Command{
		Use:   "run JOB IN... -o OUT",
		Short: "Run a job on an emulated cluster in this process",
		Long: `Run a job: read IN, write OUT/part-r-00000 and so on (part-m-00000 for jobs without reduces), then
OUT/_SUCCESS.

` + inputHelp + `

Progress and, at the end, counters go to standard error. Parts appear in OUT when their task has
committed, all of them under _SUCCESS; a job that fails leaves no OUT. --overwrite replaces an
earlier OUT once the new one is complete; until then that is in _OUT.new. What a run that was killed
has left, the next one with the same OUT cleans.

With --state DIR a run that was killed at any moment, or interrupted, goes on when the same command
is started again: parts that were committed stay.`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case list && len(args) == 0:
				return nil
			case list:
				return usageError("--list takes no job")
			case len(args) == 0:
				return usageError("which job? see %s --help, or --list", cmd.CommandPath())
			}
			near := meant(cmd, args[0])
			return usageError("unknown job %s%s; see %s --help", words.Quoted(args[0]), near, cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return p.listJobs(cmd) },
	}
	cmd.Flags().BoolVar(&list, "list", false, "print the jobs, one a line, and run none")
	r.register(cmd)
	cmd.AddCommand(jobCommands(p, func(cmd *cobra.Command, inputs []string, stages ...stage) error {
		return p.run(cmd, r, inputs, stages)
	})...)
	return cmd
}

// listJobs prints the jobs below the command, with what each does.
func (p *program) listJobs(run *cobra.Command) error {
	var bad error
	for _, job := range run.Commands() {
		if _, err := fmt.Fprintf(p.stdout, "%-20s %s\n", job.Name(), job.Short); err != nil {
			bad = err
		}
	}
	return bad
}

// starter does something with a job: its command, as it was called, its IN arguments and its
// stages.
type starter func(cmd *cobra.Command, inputs []string, stages ...stage) error

// jobCommands lists the commands of the jobs.
func jobCommands(p *program, start starter) []*cobra.Command {
	return []*cobra.Command{
		newRunWordCount(start),
		newRunSort(start),
		newRunTeraSort(start),
		newRunGrep(p, start),
		newRunIndex(start),
		newRunMean(start),
		newRunTop(start),
	}
}

// jobCommand is the command of a job of one stage whose arguments are all inputs. The help texts of
// c are without what they share.
func jobCommand(start starter, c *cobra.Command, bind stage) *cobra.Command {
	return stagesCommand(start, c, func() ([]stage, error) { return []stage{bind}, nil })
}

// stagesCommand is jobCommand for a job whose stages depend on its flags: make makes them once these
// are known. An error of make is one of the command line.
func stagesCommand(start starter, c *cobra.Command, make func() ([]stage, error)) *cobra.Command {
	c.Use += " IN... -o OUT"
	c.Long += "\n\n" + inputHelp
	c.Args = arguments(1, -1, "at least one input: files, directories, globs, or - for standard input")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		stages, err := make()
		if err != nil {
			return usageError("%s", strings.TrimPrefix(err.Error(), "jobs: "))
		}
		return start(cmd, args, stages...)
	}
	return c
}

func newRunWordCount(start starter) *cobra.Command {
	return jobCommand(start, &cobra.Command{
		Use:   "wordcount",
		Short: "Count words",
		Long: `Count words, which is what stands between ASCII white space. Writes word, tab, count; keys are in
byte order within each part.`,
		Example: `  tarry run wordcount 'books/**/*.txt' -o counts
  tarry run wordcount book.txt -o - | sort -k2,2nr | head
  tarry run wordcount book.txt -o counts --racks 4 --nodes 40 --block-size 64KiB --events events.jsonl`,
	}, func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		return jobs.WordCount().Bind(mapreduce.Chunks(src...), mapreduce.Text[jobs.Count](to))
	})
}

func newRunTeraSort(start starter) *cobra.Command {
	return jobCommand(start, &cobra.Command{
		Use:   "terasort",
		Short: "Sort records of 100 bytes by their first 10",
		Long: `Sort records of 100 bytes, as tarry gen tera makes them, by their first 10: the parts one after the
other are sorted.`,
		Example: `  tarry gen tera --size 100MB --seed 1 -o tera.dat
  tarry run terasort tera.dat -o sorted --reduces 4`,
	}, func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		records := mapreduce.FixedSize(jobs.TeraRecordBytes, src...)
		return jobs.TeraSort().Bind(records, mapreduce.Raw[mapreduce.Pair[[]byte, []byte]](to))
	})
}

func newRunIndex(start starter) *cobra.Command {
	return jobCommand(start, &cobra.Command{
		Use:   "index",
		Short: "List for each word the files it stands in",
		Long: `Make an inverted index: writes word, tab, number of files, tab, their names with commas between. In
a name a comma, a percent sign and control characters are written as in a URL: %2C, %25, %09 for a
tab, %0A for a line feed.`,
		Example: `  tarry run index books/ -o index`,
	}, func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		return jobs.Index().Bind(mapreduce.Chunks(src...), mapreduce.Text[jobs.Posting](to))
	})
}

func newRunMean(start starter) *cobra.Command {
	return jobCommand(start, &cobra.Command{
		Use:   "mean",
		Short: "Take the mean of each key's numbers",
		Long:  `Take the mean of each key's numbers. Reads lines of key, tab, integer; writes key, tab, mean.`,
		Example: `  tarry gen pairs --size 10MB --seed 1 -o pairs.txt
  tarry run mean pairs.txt -o means`,
	}, func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		means := mapreduce.Text[mapreduce.Pair[[]byte, float64]](to)
		return jobs.Mean().Bind(mapreduce.KeyValueLines('\t', src...), means)
	})
}

func newRunTop(start starter) *cobra.Command {
	k := 10
	cmd := jobCommand(start, &cobra.Command{
		Use:   "top",
		Short: "Keep the lines with the largest numbers",
		Long: `Keep the lines with the largest numbers, the largest first. Reads and writes lines of text, tab,
integer, such as those of wordcount.`,
		Example: `  tarry run wordcount book.txt -o counts
  tarry run top -k 20 counts -o -`,
	}, func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		return jobs.Top(k).Bind(mapreduce.KeyValueLines('\t', src...), mapreduce.Text[jobs.Count](to))
	})
	cmd.Flags().IntVarP(&k, "lines", "k", k, "how many lines")
	return cmd
}
