package cli

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func docsCommand(c *command) {
	c.Use, c.Short = "docs", "Write this program's documents"
	c.family(c.command(docsManCommand))
}

func docsManCommand(c *command) {
	c.Use, c.Short = "man DIR", "Write a man page for each command to DIR, which must not exist"
	c.Args = arguments(1, 1, "a directory")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := os.Mkdir(args[0], 0o777); err != nil {
			return outputError(args[0], err)
		}
		return doc.GenManTree(c.Root(), &doc.GenManHeader{Title: "TARRY", Section: "1", Source: "tarry"}, args[0])
	}
}
