package cli

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newDocs returns the command `tarry docs`.
func newDocs(*program) *cobra.Command {
	return family("docs", "Write this program's documents", "", &cobra.Command{
		Use:   "man DIR",
		Short: "Write a man page for each command to DIR, which must not exist",
		Args:  arguments(1, 1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.Mkdir(args[0], 0o777); err != nil {
				return outputError(args[0], err)
			}
			return doc.GenManTree(cmd.Root(), &doc.GenManHeader{Title: "TARRY", Section: "1", Source: "tarry"}, args[0])
		},
	})
}
