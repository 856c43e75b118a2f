package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// buildVersion is what `tarry version` tells.
type buildVersion struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Time     string `json:"time,omitempty"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// newVersion is the command `tarry version`.
func newVersion(p *program) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Args:  arguments(0, 0, "no arguments"),
		RunE:  func(*cobra.Command, []string) error { return printVersion(p, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	return cmd
}

// printVersion prints the version in a line, or as JSON.
func printVersion(p *program, asJSON bool) error {
	v := readVersion()
	if asJSON {
		return json.NewEncoder(p.stdout).Encode(v)
	}
	line := "tarry " + v.Version
	if v.Revision != "" {
		line += fmt.Sprintf(" (%.12s", v.Revision)
		if v.Modified {
			line += ", modified"
		}
		line += ")"
	}
	_, err := fmt.Fprintf(p.stdout, "%s %s %s/%s\n", line, v.Go, v.OS, v.Arch)
	return err
}

// readVersion takes the version from what the Go tool wrote into the program.
func readVersion() buildVersion {
	v := buildVersion{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		case "vcs.time":
			v.Time = s.Value
		}
	}
	return v
}
