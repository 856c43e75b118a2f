// Tarry runs MapReduce jobs on this machine, makes input for them, and shows what schedulers do.
//
// Results go to standard output, everything else to standard error. Each flag can also be set by an
// environment variable: --block-size by TARRY_BLOCK_SIZE, and so on; the flag wins. The exit code
// is
//
//	0    done
//	1    the job failed, or what the command reads could not be read: inputs, trace,
//	     scenario and event files; a server refused, or was not to be reached
//	2    the command line is wrong: an unknown flag, a missing argument, a pattern that does not
//	     compile
//	3    the output exists or cannot be made, or the configuration cannot be read or cannot work
//	4    run grep is done and has found nothing, where grep's is 1
//	129  hung up (SIGHUP)
//	130  interrupted (SIGINT)
//	141  nobody reads standard output any more (SIGPIPE)
//	143  terminated (SIGTERM)
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
