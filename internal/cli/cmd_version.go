package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand(c *command) {
	c.Use, c.Short = "version", "Print the version of this program"
	c.RunE = func(*cobra.Command, []string) error { return c.printVersion() }
}

// printVersion prints the version in one line.
func (p *program) printVersion() error {
	_, err := fmt.Fprintf(p.stdout, "tarry %s %s %s/%s\n", readVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// readVersion returns the version that the Go tool wrote into the program: in a clone, that of the
// last tag, followed by the time and revision of the commit, and by +dirty if files are modified.
func readVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
