// Package cmd is the command line of Tarry for programs of one's own: cmd/tarry is such a
// program, and one that brings parts of policies or stores along has a main function like it.
package cmd

import (
	"os"

	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/internal/cli"
	"github.com/tarry-mr/tarry/scheduling"
)

// Main runs the command line of this process and ends the process with its exit code. Settings may
// name the parts, as in --reduce-placement NAME, --set order=NAME, --sweep locality.rule=NAME,NAME
// and a scenario's reduce.rule=NAME.
func Main(parts scheduling.Parts) {
	worker.Main()
	os.Exit(cli.Main(os.Args[1:], parts))
}
