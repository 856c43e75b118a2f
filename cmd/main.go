// Package cmd is Tarry's command line for programs that add their own policies or stores. Such a
// program has a main function like that of cmd/tarry.
package cmd

import (
	"os"

	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/internal/cli"
	"github.com/tarry-mr/tarry/scheduling"
)

// Main runs the command line of this process and ends the process with its exit code. parts are the
// program's own orders and placements for policies. Settings may name them, as in
// --reduce-placement NAME, --set order=NAME, --sweep locality.rule=NAME,NAME and a scenario's
// reduce.rule=NAME.
func Main(parts scheduling.Parts) {
	worker.Main()
	os.Exit(cli.Main(os.Args[1:], parts))
}
