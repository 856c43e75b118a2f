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

// printVersion prints the version in one line, and in a second one what does not work on this
// system.
func (p *program) printVersion() error {
	_, err := fmt.Fprintf(p.stdout, "tarry %s %s %s/%s\n%s", readVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		restrictions(runtime.GOOS))
	return err
}

// restrictions returns a line on what does not work on a system; "" for Linux.
func restrictions(system string) string {
	switch system {
	case "linux":
		return ""
	case "darwin":
		return "tested on Linux only; here freed buffers count until the next garbage collection\n"
	case "windows":
		return "tested on Linux only; here freed buffers count until the next garbage collection, outputs are not locked, " +
			"--overwrite takes two steps, SIGHUP reloads nothing, and children of killed worker processes may go on\n"
	default:
		return "tested on Linux only\n"
	}
}

// readVersion returns the version that the Go tool wrote into the program: in a clone, that of the
// last tag, followed by the time and revision of the commit, and by +dirty if files are modified.
func readVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
