package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagsFromEnv sets the flags that the command line leaves alone from the environment: --block-size from
// TARRY_BLOCK_SIZE. An empty variable counts as not set.
func (p *program) flagsFromEnv(cmd *cobra.Command) error {
	var err error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if err != nil || f.Changed || f.Name == "help" || f.Name == "version" {
			return
		}
		name := variable(f)
		if v, ok := p.getenv(name); ok && v != "" {
			if bad := cmd.Flags().Set(f.Name, v); bad != nil {
				err = configError("environment variable %s=%s: %w", name, quoted(v), valueFault(f, bad))
				return
			}
			_ = cmd.Flags().SetAnnotation(f.Name, fromEnv, []string{name}) // an error: no such flag
		}
	})
	return err
}

// fromEnv is the annotation of flags whose value comes from the environment.
const fromEnv = "environment"

// variable is the name of a flag's environment variable.
func variable(f *pflag.Flag) string {
	return "TARRY_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}
