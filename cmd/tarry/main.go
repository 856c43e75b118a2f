// Tarry runs MapReduce jobs on this machine, generates input, and simulates and shows schedulers.
//
// Results go to standard output, everything else to standard error. Each flag can also be set by an
// environment variable: --block-size by TARRY_BLOCK_SIZE, and so on; the flag wins. tarry --help
// lists the exit codes.
package main

import (
	"github.com/tarry-mr/tarry/cmd"
	_ "github.com/tarry-mr/tarry/contrib/hdfs"
	_ "github.com/tarry-mr/tarry/contrib/s3"
	"github.com/tarry-mr/tarry/scheduling"
)

func main() {
	cmd.Main(scheduling.Parts{})
}
