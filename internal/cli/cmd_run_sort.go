package cli

import (
	"errors"

	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/jobs"
)

// sortHelp describes sort and its differences from GNU sort.
const sortHelp = `Sort lines by their bytes, as LC_ALL=C sort does with the same flags. The concatenated parts of
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
be given as -. -V is rejected; -c, -d, -g, -i, -M, -m, -R and -z do not exist, -h is --help.`

func sortJob(j *jobCommand) {
	j.Use, j.Short = "sort", "Sort lines by their bytes, by numbers or by fields"
	j.Long = sortHelp
	j.Example = `  tarry run sort -u names.txt more/ >sorted.txt
  tarry run sort -t, -k2,2nr -k1,1 prices.csv
  tarry run sort big.txt -o sorted --memory 256MiB`
	var o jobs.SortByOptions
	var keys []string
	between, versions := "", false
	f := j.Flags()
	f.BoolVarP(&o.Reverse, "reverse", "r", false, "sort in descending order")
	f.BoolVarP(&o.Unique, "unique", "u", false, "write only the first of lines with equal keys")
	f.BoolVarP(&o.Numeric, "numeric-sort", "n", false, "compare keys as numbers, not bytes")
	f.BoolVarP(&o.Fold, "ignore-case", "f", false, "compare small letters as capitals")
	f.BoolVarP(&versions, "version-sort", "V", false, "rejected: sort numbers between dots by -t and -k")
	f.StringArrayVarP(&keys, "key", "k", nil, "sort by this `KEY`, such as 2,2nr, as explained above; may be repeated")
	f.StringVarP(&between, "field-separator", "t", "",
		"separate fields by this `BYTE`, \\t for a tab (default: a field begins with the blanks before it)")
	f.BoolVarP(&o.SkipBlanks, "ignore-leading-blanks", "b", false, "skip blanks at the start of keys")
	f.BoolVarP(&o.Stable, "stable", "s", false, "keep lines with equal keys in the order of the input")
	needs(j.Command, "key", "field-separator")
	j.make = func() (stage serve.Stage, err error) {
		if versions {
			return nil, errors.New("--version-sort: not there; numbers between dots sort with -t . -k 1,1n -k 2,2n")
		}
		if o.Separator, err = separator(between, 0); err != nil {
			return nil, err
		}
		for _, text := range keys {
			k, err := jobs.ParseSortKey(text)
			if err != nil {
				return nil, err
			}
			o.Keys = append(o.Keys, k)
		}
		if len(o.Keys) == 0 && !o.Numeric && !o.Fold && !o.SkipBlanks { // whole lines by their bytes: the fast path
			whole := jobs.Sort(jobs.SortOptions{Reverse: o.Reverse, Unique: o.Unique})
			j.maps = text(jobs.MapsOnly(whole), lines)
			return text(whole, lines), nil
		}
		job, err := jobs.SortBy(o)
		return text(job, lines), err
	}
}
