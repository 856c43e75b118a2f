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
	version, revision := readVersion()
	if revision != "" {
		version += " (" + revision + ")"
	}
	_, err := fmt.Fprintf(p.stdout, "tarry %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// readVersion returns the version and revision that the Go tool wrote into the program.
func readVersion() (version, revision string) {
	version = "(devel)"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, ""
	}
	if info.Main.Version != "" {
		version = info.Main.Version
	}
	for _, s := range info.Settings { // in order of their keys
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))] + revision
		case s.Key == "vcs.modified" && s.Value == "true":
			revision += ", modified"
		}
	}
	return version, revision
}
