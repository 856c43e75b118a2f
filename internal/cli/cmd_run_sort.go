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
	versions  bool // rejected
}

func newRunSort(start starter) *cobra.Command {
	s := new(sortFlags)
	cmd := jobCommand(start, &cobra.Command{
		Use:   "sort",
		Short: "Sort lines by their bytes, by numbers or by fields",
		Long: `Sort lines by their bytes, as LC_ALL=C sort does with the same flags. The concatenated parts of
--output are sorted. Each reduce sorts a range of lines, chosen from a sample of the input.

-k F.C,G.D sorts by the part of the line from byte C of field F to byte D of field G; without .C
from the field's first byte, without .D to its last, without ,G.D to the end of the line. Fields and
bytes count from 1. After F.C or G.D, n, f, r and b mean -n, -f, -r and -b of this key alone; a key
without them has those of the command. If -k is repeated, later keys decide where earlier ones are
equal. At the end the bytes of the whole line decide, unless -s or -u is given.

-n compares the number at the start of a key: optional blanks, an optional minus sign, then decimal
digits of any length with an optional point; without digits it is 0. Numbers are compared exactly.
-f compares small ASCII letters as capitals.

Differences from GNU sort: -o names a directory of parts; > FILE makes a file. Standard input must
be given as -. -V is rejected; -c, -d, -g, -i, -M, -m, -R and -z do not exist, -h is --help.`,
		Example: `  tarry run sort -u names.txt more/ >sorted.txt
  tarry run sort -t, -k2,2nr -k1,1 prices.csv
  tarry run sort big.txt -o sorted --memory 256MiB`,
	}, s.stages)
	f := cmd.Flags()
	f.BoolVarP(&s.by.Reverse, "reverse", "r", false, "sort in descending order")
	f.BoolVarP(&s.by.Unique, "unique", "u", false, "write only the first of lines with equal keys")
	f.BoolVarP(&s.by.Numeric, "numeric-sort", "n", false, "compare keys as numbers, not bytes")
	f.BoolVarP(&s.by.Fold, "ignore-case", "f", false, "compare small letters as capitals")
	f.BoolVarP(&s.versions, "version-sort", "V", false, "rejected: sort numbers between dots by -t and -k")
	f.StringArrayVarP(&s.keys, "key", "k", nil, "sort by this `KEY`, such as 2,2nr, as explained above; may be repeated")
	f.StringVarP(&s.separator, "field-separator", "t", "",
		"separate fields by this `BYTE`, \\t for a tab (default: a field begins with the blanks before it)")
	f.BoolVarP(&s.by.SkipBlanks, "ignore-leading-blanks", "b", false, "skip blanks at the start of keys")
	f.BoolVarP(&s.by.Stable, "stable", "s", false, "keep lines with equal keys in the order of the input")
	needs(cmd, "key", "field-separator")
	return cmd
}

// stages returns the job for the flags.
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
	if len(o.Keys) == 0 && !o.Numeric && !o.Fold && !o.SkipBlanks { // whole lines by their bytes: the fast path
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
		Long: `Sort records of 100 bytes, as tarry gen tera writes them, by their first 10. The concatenated parts
are sorted.`,
		Example: `  tarry gen tera --size 100MB --seed 1 -o tera.dat
  tarry run terasort tera.dat -o sorted --reduces 4`,
	}, func() (jobStages, error) {
		return oneStage(raw(jobs.TeraSort(), teraRecords), raw(jobs.MapsOnly(jobs.TeraSort()), teraRecords)).ofBytes(), nil
	})
}
