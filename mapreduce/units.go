package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// Units gives each map one unit of work, such as a file, a range of rows or the address of a page,
// and yields the records that the function records returns for it. It is called once per attempt,
// in many attempts concurrently, with the attempt's context; a total order calls it once more for
// its sample. The first error that its sequence yields, or a panic, ends the attempt. The error and
// Task.InputName name the unit by the beginning of its [fmt.Sprint] text.
func Units[U, I any](units []U, records func(ctx context.Context, unit U) iter.Seq2[I, error]) Input[I] {
	units = slices.Clone(units)
	in := Input[I]{plan: cluster.InputPlan{Whole: true}}
	if records == nil {
		in.plan.Wrong = errors.New("Units without a read function")
	}
	for i := range units {
		in.sources = append(in.sources, input.Of(input.Unit{Made: 1, Index: i}, unitName(units[i], i)))
	}
	in.read = func(r *read.Reader, yield func([]I) error) error {
		seq := func() iter.Seq2[I, error] { return records(r.Ctx, units[r.Source.Data.(input.Unit).Index]) }
		if _, err := read.EachOf(r, seq, 0, read.Singly(yield)); err != nil {
			return err
		}
		return r.Tick(1)
	}
	return in
}

// longestUnit is the maximum length of a unit's name, in bytes.
const longestUnit = 80

// unitName returns the name of a unit in messages: its text or, if that is blank, its index.
func unitName(unit any, index int) string {
	text := fault.CutText(fmt.Sprint(unit), longestUnit)
	switch {
	case strings.TrimSpace(text) == "":
		return fmt.Sprintf("unit %d", index)
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		return strconv.Quote(text)
	}
	return text
}
