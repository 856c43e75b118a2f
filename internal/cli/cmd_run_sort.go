package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/jobs"
)

// sortFlags are the flags of `tarry run sort`.
type sortFlags struct {
	by        jobs.SortByOptions
	keys      []string
	separator string
	versions  bool // refused
}

func newRunSort(start starter) *cobra.Command {
	s := new(sortFlags)
	cmd := jobCommand(start, &cobra.Command{
		Use:   "sort",
		Short: "Sort lines by their bytes, by numbers or by fields",
		Long: `Sort lines by their bytes, as LC_ALL=C sort does with the same flags: on standard output, and in the
parts of --output one after the other. Each reduce takes a range of lines, chosen from a sample of
the input.

-k F.C,G.D sorts by the part of the line from byte C of field F to byte D of field G; without .C
from the field's first byte, without .D to its last, without ,G.D to the end of the line. Fields and
bytes count from 1. Behind F.C or G.D, n, f, r and b are -n, -f, -r and -b of this key alone; a key
without them has those of the command. -k may be given several times: later keys decide where
earlier ones are equal, and at the end the bytes of the whole line, unless -s or -u is given.

-n compares what a key begins with as a number: blanks, a minus sign, decimal digits with a point
among them, each of which may be missing, of any length; no digits are 0. Numbers are compared
exactly. -f compares small letters of ASCII as capitals.

What differs from GNU sort: -o names a directory of parts, not a file, which > FILE makes. Without
IN it does not read standard input, which is -. -V is refused; -c, -d, -g, -i, -M, -m, -R and -z do
not exist, -h is --help.`,
		Example: `  tarry run sort -u names.txt more/ >sorted.txt
  tarry run sort -t, -k2,2nr -k1,1 prices.csv
  tarry run sort big.txt -o sorted --memory 256MiB`,
	}, s.stages)
	f := cmd.Flags()
	f.BoolVarP(&s.by.Reverse, "reverse", "r", false, "sort downward")
	f.BoolVarP(&s.by.Unique, "unique", "u", false, "write lines with equal keys once: the first one")
	f.BoolVarP(&s.by.Numeric, "numeric-sort", "n", false, "compare numbers, not bytes")
	f.BoolVarP(&s.by.Fold, "ignore-case", "f", false, "compare small letters as capitals")
	f.BoolVarP(&s.versions, "version-sort", "V", false, "refused: numbers between dots are fields of -t and -k")
	f.StringArrayVarP(&s.keys, "key", "k", nil, "what to sort by, such as 2,2nr: see above; may be given several times")
	f.StringVarP(&s.separator, "field-separator", "t", "",
		"one byte between fields, \\t for a tab (default: a field begins with the blanks before it)")
	f.BoolVarP(&s.by.SkipBlanks, "ignore-leading-blanks", "b", false, "pass over blanks at the start of keys")
	f.BoolVarP(&s.by.Stable, "stable", "s", false, "keep lines with equal keys in the order of the input")
	needs(cmd, "key", "field-separator")
	return cmd
}

// stages are the job that the flags ask for.
func (s *sortFlags) stages() (jobStages, error) {
	o := s.by
	var err error
	if s.versions {
		return jobStages{}, errors.New("--version-sort: not there; numbers between dots sort with -t . -k 1,1n -k 2,2n")
	}
	if o.Separator, err = separator(s.separator, 0); err != nil {
		return jobStages{}, err
	}
	for _, text := range s.keys {
		k, err := jobs.ParseSortKey(text)
		if err != nil {
			return jobStages{}, err
		}
		o.Keys = append(o.Keys, k)
	}
	if len(o.Keys) == 0 && !o.Numeric && !o.Fold && !o.SkipBlanks { // the whole line, its bytes: the fast way
		whole := jobs.Sort(jobs.SortOptions{Reverse: o.Reverse, Unique: o.Unique})
		return oneStage(text(whole, lines), text(jobs.MapsOnly(whole), lines)), nil
	}
	job, err := jobs.SortBy(o)
	return oneStage(text(job, lines), nil), err
}

func newRunTeraSort(start starter) *cobra.Command {
	return jobCommand(start, &cobra.Command{
		Use:   "terasort",
		Short: "Sort records of 100 bytes by their first 10",
		Long: `Sort records of 100 bytes, as tarry gen tera makes them, by their first 10: the parts one after the
other are sorted.`,
		Example: `  tarry gen tera --size 100MB --seed 1 -o tera.dat
  tarry run terasort tera.dat -o sorted --reduces 4`,
	}, func() (jobStages, error) {
		return oneStage(raw(jobs.TeraSort(), teraRecords), raw(jobs.MapsOnly(jobs.TeraSort()), teraRecords)).ofBytes(), nil
	})
}
