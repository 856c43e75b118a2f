package cli

import (
	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

func wordCountJob(j *jobCommand) {
	j.Use, j.Short = "wordcount", "Count words"
	j.Long = `Count words. A word is text between ASCII white space. Write word, tab, count.

--words takes runs of letters, marks and decimal digits (Unicode's L, M and Nd) as words. All else
separates them: punctuation, symbols and bytes that are not UTF-8. Don't is two words. --fold
counts words that differ only in case as one, in small letters. It uses Unicode's simple case
folding, in which a sharp s is not ss.

With --reduces 0, write word, tab, 1 for each word, in the order of the input.`
	j.Example = `  tarry run wordcount 'books/**/*.txt' -o counts
  tarry run wordcount --fold --words --top 10 book.txt`
	var o jobs.WordCountOptions
	j.Flags().BoolVar(&o.Fold, "fold", false, "count words that differ only in case as one")
	j.Flags().BoolVar(&o.Words, "words", false, "take letters and digits as words, without punctuation")
	j.topFlag()
	j.make = func() (serve.Stage, error) {
		job := jobs.WordCountBy(o)
		j.maps = text(jobs.MapsOnly(job), chunks)
		return text(job, chunks), nil
	}
}

func indexJob(j *jobCommand) {
	j.Use, j.Short = "index", "List the files that contain each word"
	j.Long = `Make an inverted index: write word, tab, number of files, tab, their names separated by commas. In
names, a comma, a percent sign and control characters are escaped as in a URL: %2C, %25, %09 for a
tab, %0A for a line feed.

With --reduces 0, write word, tab, name for each word, in the order of the input.`
	j.Example = `  tarry run index books/ --top 20`
	j.topFlag("2")
	j.make = func() (serve.Stage, error) {
		j.maps = text(jobs.WordFiles(), chunks)
		return serve.OneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			return jobs.Index(src...).Bind(chunks(src), mapreduce.Text[jobs.Posting](to))
		}), nil
	}
}

func meanJob(j *jobCommand) {
	j.Use, j.Short = "mean", "Take the mean of each key's numbers"
	j.Long = `Take the mean of each key's numbers. Read lines of key, tab, number; write key, tab, mean.

A number is decimal, with at most 64 bits before the point and 18 decimals. Sums are exact, so the
order does not matter; the mean is rounded once, to the nearest 64-bit float.`
	j.Example = `  tarry run mean --csv --columns 1,3 prices.csv --top 5
  tarry run mean --jsonl city,price prices.jsonl`
	c := j.columnFlags(2, 2, "take the key and the number from these columns, by numbers from 1 or names (default: all columns)")
	j.topFlag()
	j.make = func() (serve.Stage, error) {
		return text(jobs.Mean(), c.Pairs), nil
	}
}

func topJob(j *jobCommand) {
	j.Use, j.Short = "top", "Keep the lines with the largest numbers"
	j.Long = `Keep the lines with the largest numbers, in descending order; equal numbers are ordered by the bytes
of their lines. The number of a line is its last column, as wordcount writes it, or that of
--columns.`
	j.Example = `  tarry run top -k 20 --csv --header --columns price prices.csv`
	j.reduces = oneReduce
	n := 10
	number(j.Flags(), &n, "lines", n, span(1, 1_000_000), "write `N` lines", "k")
	c := j.columnFlags(1, 0, "take the numbers from the last of these columns, by numbers from 1 or names (default: the last column)")
	j.make = func() (serve.Stage, error) {
		return text(c.Top(n), c.Numbered), nil
	}
}

func distinctJob(j *jobCommand) {
	j.Use, j.Short = "distinct", "Write each distinct line once"
	j.Long = `Write each distinct line once, in byte order within each part, as sort -u does; with --columns, each
distinct text of these columns. --count writes text, tab, number of lines. Records of --csv and
--tsv keep their form.`
	j.Example = `  tarry run distinct --csv --header --columns city --count --top 10 customers.csv`
	count := false
	c := j.columnFlags(1, 0, "compare these columns, by numbers from 1 or names (default: the whole line)")
	j.Flags().BoolVar(&count, "count", false, "also write the number of lines with each text")
	j.topFlag()
	needs(j.Command, "columns", "field-separator")
	needs(j.Command, "count", "top")
	j.make = func() (serve.Stage, error) {
		read := func(src []mapreduce.Source) mapreduce.Input[[]byte] { return c.Records(src, count) }
		if count {
			return text(jobs.DistinctCount(), read), nil
		}
		j.maps = text(jobs.MapsOnly(mapreduce.Distinct[[]byte]()), read)
		return text(mapreduce.Distinct[[]byte](), read), nil
	}
}

func histogramJob(j *jobCommand) {
	j.Use, j.Short = "histogram", "Count numbers by buckets of one width"
	j.Long = `Count decimal numbers by buckets of equal width, one of which begins at 0. Read one number per line,
or a column. For each bucket that is not empty, write its least number, tab, count. The
concatenated parts are in order. All results are exact.`
	j.Example = `  tarry run histogram --csv --header --columns price --width 0.5 prices.csv`
	width := ""
	j.Flags().StringVar(&width, "width", "1", "make buckets of this `WIDTH`, a decimal number above 0")
	c := j.columnFlags(1, 1, "take the numbers from this column, by its number from 1 or its name (default: the whole line)")
	needs(j.Command, "columns", "field-separator")
	j.make = func() (serve.Stage, error) {
		job, err := jobs.Histogram(width)
		return text(job, c.tabbed), err
	}
}

func movingAverageJob(j *jobCommand) {
	j.Use, j.Short = "movingaverage", "Take the moving average of each key's numbers"
	j.Long = `Take the mean of each key's last numbers at each time. Read lines of key, tab, time, tab, number, in
any order; a time is an integer, a number as in tarry run mean. Write key, tab, time, tab, the mean
of the number at that time and of earlier ones. Sums are exact: errors do not accumulate.`
	j.Example = `  tarry run movingaverage --window 7 --jsonl city,hour,celsius weather.jsonl`
	window := 3
	number(j.Flags(), &window, "window", window, span(1, 1_000_000), "average the last `N` numbers")
	c := j.columnFlags(3, 3, "take key, time and number from these columns, by numbers from 1 or names (default: all columns)")
	j.make = func() (serve.Stage, error) {
		job, err := jobs.MovingAverage(window)
		return text(job, c.tabbed), err
	}
}
