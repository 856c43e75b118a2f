package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// newStreaming is the command `tarry streaming`.
func newStreaming(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "streaming",
		Args: arguments(0, 0, "command"),
		Long: "Hand a job to Hadoop Streaming by a line of your own.",
		RunE: help,
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "command JOB IN... -o OUT",
		Short: "Print the whole line that runs a job on Hadoop Streaming, and wait for its tasks",
		Long: `Print the whole line that runs a job on Hadoop Streaming, for somebody else to run, as it is or
with options of theirs, such as a queue. Arguments are those of tarry run: this is tarry run with
--on streaming-command. The output is made ready, the line goes to standard output, and the command
waits until the line has been run; then it commits the output. An interrupt gives the job up.

  tarry streaming command wordcount book.txt -o counts | sh
  tarry streaming command wordcount hdfs:///books -o hdfs:///counts --reduces 4 >line`,
		Args:               arguments(0, -1, ""), // those of tarry run, which checks them
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && slices.Contains([]string{"-h", "--help", "help"}, args[0]) {
				return cmd.Help()
			}
			if len(args) == 0 || strings.HasPrefix(args[0], "-") {
				return usageError("which job? see %s --help", cmd.CommandPath())
			}
			line := append(append([]string{"run"}, args...), "--on=streaming-command")
			again := &program{stdin: p.stdin, stdout: p.stdout, stderr: p.display.Out, getenv: p.getenv, asked: askedFor(line)}
			root := newRoot(again)
			root.SetArgs(line)
			return root.ExecuteContext(cmd.Context())
		},
	})
	return cmd
}
