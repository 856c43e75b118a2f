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
)

// Units gives each map one unit of work, such as a file, a range of rows or the address of a page,
// and yields the records that read returns for it. read is called once per attempt, in many
// attempts concurrently, with the attempt's context; a total order calls it once more for its
// sample. The first error that its sequence yields, or a panic, ends the attempt. The error and
// Task.InputName name the unit by the beginning of its [fmt.Sprint] text.
func Units[U, I any](units []U, read func(ctx context.Context, unit U) iter.Seq2[I, error]) Input[I] {
	units = slices.Clone(units)
	in := Input[I]{plan: cluster.InputPlan{Whole: true}}
	if read == nil {
		in.plan.Wrong = errors.New("Units without a read function")
	}
	for i := range units {
		in.sources = append(in.sources, input.Of(input.Unit{Made: 1, Index: i}, unitName(units[i], i)))
	}
	in.read = func(s *splitReader, yield func([]I) (int, error)) error {
		s.ordinal = true
		err := s.mapOne(nil, func() error {
			unit := units[s.source.Data.(input.Unit).Index]
			_, err := eachOf(s, read(s.ctx, unit), 0, singly(yield))
			return err
		})
		if err != nil {
			return err
		}
		return s.tick(1)
	}
	return in
}

// longestUnit is the maximum length of a unit's name, in bytes.
const longestUnit = 80

// unitName returns the name of a unit in messages.
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

// eachOf yields the records of a sequence, with offsets from first on, and returns their number.
func eachOf[I any](s *splitReader, seq iter.Seq2[I, error], first int64, yield func(I) error) (records int, err error) {
	if seq == nil {
		return 0, Permanent(fmt.Errorf("%s: a nil sequence of records", s.source.Name()))
	}
	for rec, err := range seq {
		if err != nil {
			return records, fmt.Errorf("%s: after %d records: %w", s.source.Name(), records, err)
		}
		s.at = first + int64(records)
		records++
		if err = yield(rec); err != nil {
			err = s.recordFailed(err)
		}
		if err != nil {
			return records, err
		}
	}
	return records, nil
}
