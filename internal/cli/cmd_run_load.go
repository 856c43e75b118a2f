package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

func newRunTeraValidate(start starter) *cobra.Command {
	anyOrder := false
	cmd := jobCommand(start, &cobra.Command{
		Use:   "teravalidate",
		Short: "Check that the records of terasort are in order",
		Long: `Check that the records of 100 bytes that tarry run terasort has written are in order, within and
across files in the order of IN. A record smaller than the previous one fails the job. Write the
number of records, their checksum (the sum of their CRC-32), and the number of records with the
previous one's key. If the checksum differs from that of the input (see --any-order), records were
lost or changed.`,
	}, func() (jobStages, error) {
		return oneStage(text(jobs.TeraValidate(anyOrder), teraRecords), nil).with(oneReduce).ofBytes(), nil
	})
	cmd.Flags().BoolVar(&anyOrder, "any-order", false, "count records that are out of order instead of failing")
	return cmd
}

func newRunScan(start starter) *cobra.Command {
	o := jobs.ScanOptions{Percent: 0.5}
	cmd := jobCommand(start, &cobra.Command{
		Use:   "scan",
		Short: "Keep a sample of the lines",
		Long: `Keep a sample of the lines, in the order of the input, as GridMix's webdataScan does. The bytes of a
line and --sample decide whether it is kept. Equal lines are therefore kept or dropped together,
however the input is split.`,
	}, func() (jobStages, error) {
		job, err := jobs.Scan(o)
		bind := text(job, lines)
		return oneStage(bind, bind).with(noReduce), err
	})
	number(cmd.Flags(), &o.Percent, "percent", o.Percent, span(0, 100), "keep `N` percent of the lines")
	number(cmd.Flags(), &o.Seed, "sample", 0, seeds, "select the kept lines by this seed")
	return cmd
}

func newRunSleep(start starter) *cobra.Command {
	reduce := time.Duration(0)
	cmd := jobCommand(start, &cobra.Command{
		Use:   "sleep",
		Short: "Sleep, to see what a scheduler does",
		Long: `Sleep, to see what a scheduler does. Each line of IN, such as 1.5s, is a map that sleeps that long.
Write the total time slept by maps, in seconds.`,
		Example: `  tarry run sleep naps.txt --nodes 3 --map-slots 1 --reduce-time 2s`,
	}, func() (jobStages, error) {
		oneByOne := func(src []mapreduce.Source) mapreduce.Input[[]byte] { return mapreduce.NLines(1, src...) }
		return oneStage(text(jobs.Sleep(reduce), oneByOne), nil), nil
	})
	number(cmd.Flags(), &reduce, "reduce-time", 0, span(0, 1000*hour), "let each reduce sleep this long")
	return cmd
}
