package main

import (
	"github.com/spf13/cobra"
)

// runFlags are the flags that all `tarry run` commands share.
type runFlags struct {
	jobFlags
	clusterFlags

	inline bool
}

// register adds the flags to the command and its sub-commands.
func (r *runFlags) register(cmd *cobra.Command) {
	r.jobFlags.register(cmd)
	r.clusterFlags.register(cmd)
	cmd.PersistentFlags().BoolVar(&r.inline, "inline", false, "run in one goroutine without a cluster: the plain way, to compare with")
}

// check refuses values that cannot work.
func (r *runFlags) check(p *program, cmd *cobra.Command) error {
	if err := r.jobFlags.check(); err != nil {
		return err
	}
	if r.output == "-" && r.json {
		return usageError("-o - and --json both want standard output")
	}
	return r.clusterFlags.check(p, cmd)
}
