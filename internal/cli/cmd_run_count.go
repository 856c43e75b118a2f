package cli

import (
	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/jobs"
)

// topFlag adds --top to a job that writes numbers.
func topFlag(cmd *cobra.Command, n *int) {
	number(cmd.Flags(), n, "top", 0, span(1, 1_000_000), "write only the `N` lines with the largest numbers, in descending order (default: all)")
}

// top adds a stage that keeps the n lines with the largest numbers in a column; column 0 is the
// last one. If n is 0, it adds none.
func (j jobStages) top(n, column int) jobStages {
	if n > 0 {
		j.all = append(j.all, stage{bind: topStage(jobs.TopOptions{Lines: n, Column: column})})
	}
	return j
}

func topStage(o jobs.TopOptions) binder {
	return text(jobs.TopBy(o), lines)
}

func newRunWordCount(start starter) *cobra.Command {
	var o jobs.WordCountOptions
	top := 0
	cmd := jobCommand(start, &cobra.Command{
		Use:   "wordcount",
		Short: "Count words",
		Long: `Count words. A word is text between ASCII white space. Write word, tab, count.

--words takes runs of letters, marks and decimal digits (Unicode's L, M and Nd) as words. All else
separates them: punctuation, symbols and bytes that are not UTF-8. Don't is two words. --fold
counts words that differ only in case as one, in small letters. It uses Unicode's simple case
folding, in which a sharp s is not ss.

With --reduces 0, write word, tab, 1 for each word, in the order of the input.`,
		Example: `  tarry run wordcount 'books/**/*.txt' -o counts
  tarry run wordcount --fold --words --top 10 book.txt`,
	}, func() (jobStages, error) {
		job := jobs.WordCountBy(o)
		return oneStage(text(job, chunks), text(jobs.MapsOnly(job), chunks)).top(top, 0), nil
	})
	cmd.Flags().BoolVar(&o.Fold, "fold", false, "count words that differ only in case as one")
	cmd.Flags().BoolVar(&o.Words, "words", false, "take letters and digits as words, without punctuation")
	topFlag(cmd, &top)
	return cmd
}

func newRunIndex(start starter) *cobra.Command {
	top := 0
	cmd := jobCommand(start, &cobra.Command{
		Use:   "index",
		Short: "List the files that contain each word",
		Long: `Make an inverted index: write word, tab, number of files, tab, their names separated by commas. In
names, a comma, a percent sign and control characters are escaped as in a URL: %2C, %25, %09 for a
tab, %0A for a line feed.

With --reduces 0, write word, tab, name for each word, in the order of the input.`,
		Example: `  tarry run index books/ --top 20`,
	}, func() (jobStages, error) {
		return oneStage(text(jobs.Index(), chunks), text(jobs.MapsOnly(jobs.Index()), chunks)).top(top, 2), nil
	})
	topFlag(cmd, &top)
	return cmd
}

func newRunMean(start starter) *cobra.Command {
	var c *columnFlags
	top := 0
	cmd := jobCommand(start, &cobra.Command{
		Use:   "mean",
		Short: "Take the mean of each key's numbers",
		Long: `Take the mean of each key's numbers. Read lines of key, tab, number; write key, tab, mean.

A number is decimal, with at most 64 bits before the point and 18 decimals. Sums are exact, so the
order does not matter; the mean is rounded once, to the nearest 64-bit float.`,
		Example: `  tarry run mean --csv --columns 1,3 prices.csv --top 5
  tarry run mean --jsonl city,price prices.jsonl`,
	}, func() (jobStages, error) {
		return oneStage(text(jobs.Mean(jobs.MeanOptions{Separator: c.Separator}), c.Pairs), nil).top(top, 0).reads(c), nil
	})
	c = columnsFlag(cmd, 2, 2, "take the key and the number from these columns, by numbers from 1 or names (default: all columns)")
	topFlag(cmd, &top)
	return cmd
}

func newRunTop(start starter) *cobra.Command {
	var c *columnFlags
	lines := 10
	cmd := jobCommand(start, &cobra.Command{
		Use:   "top",
		Short: "Keep the lines with the largest numbers",
		Long: `Keep the lines with the largest numbers, in descending order; equal numbers are ordered by the bytes
of their lines. The number of a line is its last column, as wordcount writes it, or that of
--columns.`,
		Example: `  tarry run top -k 20 --csv --header --columns price prices.csv`,
	}, func() (jobStages, error) {
		bind := topStage(jobs.TopOptions{Lines: lines, Separator: c.Separator})
		if c.Parsed() {
			bind = text(jobs.TopNumbered(lines), c.Numbered)
		}
		return oneStage(bind, nil).with(oneReduce).reads(c), nil
	})
	number(cmd.Flags(), &lines, "lines", lines, span(1, 1_000_000), "write `N` lines", "k")
	c = columnsFlag(cmd, 1, 0, "take the numbers from the last of these columns, by numbers from 1 or names (default: the last column)")
	return cmd
}
