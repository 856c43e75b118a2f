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
		Short: "Look whether the records of terasort are in order",
		Long: `Look whether the records of 100 bytes that tarry run terasort has written are in order, within and
across files in the order of IN; one that is smaller than the one before it fails the job. Writes
their number, their checksum (the sum of the CRC-32 of each), and how many have the key of the one
before. Records are lost or changed if the checksum is not that of the input, which --any-order
tells.`,
	}, func() (jobStages, error) {
		return oneStage(text(jobs.TeraValidate(anyOrder), teraRecords), nil).with(oneReduce).ofBytes(), nil
	})
	cmd.Flags().BoolVar(&anyOrder, "any-order", false, "count records that are not in order, and do not fail")
	return cmd
}

func newRunScan(start starter) *cobra.Command {
	o := jobs.ScanOptions{Percent: 0.5}
	cmd := jobCommand(start, &cobra.Command{
		Use:   "scan",
		Short: "Keep a part of all lines",
		Long: `Keep a part of all lines, in the order of the input, as GridMix's webdataScan does. Whether a line
is kept depends on its bytes and --sample: equal lines go the same way, wherever blocks end.`,
	}, func() (jobStages, error) {
		job, err := jobs.Scan(o)
		bind := text(job, lines)
		return oneStage(bind, bind).with(noReduce), err
	})
	number(cmd.Flags(), &o.Percent, "percent", o.Percent, span(0, 100), "lines of a hundred that are kept")
	number(cmd.Flags(), &o.Seed, "sample", 0, seeds, "selects which lines are kept")
	return cmd
}

func newRunSleep(start starter) *cobra.Command {
	reduce := time.Duration(0)
	cmd := jobCommand(start, &cobra.Command{
		Use:   "sleep",
		Short: "Do nothing for a while, to see what a scheduler does",
		Long: `Do nothing for a while: each line of IN is a map that sleeps as long as it says, such as 1.5s.
Writes the time slept by all maps, in seconds.`,
		Example: `  tarry run sleep naps.txt --nodes 3 --map-slots 1 --reduce-time 2s`,
	}, func() (jobStages, error) {
		oneByOne := func(src []mapreduce.Source) mapreduce.Input[[]byte] { return mapreduce.NLines(1, src...) }
		return oneStage(text(jobs.Sleep(reduce), oneByOne), nil), nil
	})
	number(cmd.Flags(), &reduce, "reduce-time", 0, span(0, 1000*hour), "how long each reduce sleeps, 0s for not at all")
	return cmd
}
