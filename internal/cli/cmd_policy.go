package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

func policyCommand(cmd *command) {
	cmd.Use, cmd.Short = "policy", "Watch and change the scheduler of a server, tarry serve"
	cmd.Long = `Watch and change the scheduler of a server, tarry serve, while it works. Settings are those of tarry
config policy. A change holds until the next, a reload of changed files, or the end of the server.

  tarry policy show locality
  tarry policy set locality.rule=wait locality.waits=2s/4s
  tarry policy set weight.ann=2 weight.bob=0.5
  tarry policy reload`
	c := &clientFlags{command: cmd}
	c.register(true)
	c.family(
		c.ask("show [KEY...]", "Show the current settings, all or those whose keys begin with KEY", 0, -1, "beginnings of keys", c.showPolicy),
		c.ask("set KEY=VALUE...", "Change settings, and weights of pools as weight.POOL: all or none", 1, -1, "settings such as locality.waits=2s/4s", c.setPolicy),
		c.ask("reload", "Reload the configuration files at once", 0, 0, "no arguments",
			func(ctx context.Context, client *api.Client, _ []string) error {
				r, err := client.Reload(ctx)
				return c.answer(r, err, func(out io.Writer) {
					since := "the start of the server"
					if r.Time != nil {
						since = r.Time.Local().Format(time.DateTime)
					}
					fmt.Fprintf(out, "the current files were loaded at %s\n", since)
				})
			}))
}

// showPolicy prints the settings whose keys begin with one of the arguments.
func (c *clientFlags) showPolicy(ctx context.Context, client *api.Client, args []string) error {
	policy, err := client.Policy(ctx)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(policy.Settings, func(s api.Setting) bool {
		return len(args) > 0 && !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(s.Key, a) })
	})
	if len(list) == 0 {
		return usageError("%s: the scheduler %s has no such setting", words.Shown(args[0]), policy.Name)
	}
	return c.printSettings(list, nil)
}

// printSettings prints a table of settings.
func (c *clientFlags) printSettings(list []api.Setting, err error) error {
	return rows(c, "KEY VALUE MEANING", list, err, func(s api.Setting) []string {
		meaning := s.Help
		if s.Range != "" {
			meaning += " (" + s.Range + ")"
		}
		if s.Idle != "" {
			meaning += "; no effect " + s.Idle
		}
		return []string{s.Key, s.Value, meaning}
	})
}

// setPolicy sends the changes in args to the server and prints the changed settings.
func (c *clientFlags) setPolicy(ctx context.Context, client *api.Client, args []string) error {
	change := api.PolicyChange{Set: map[string]string{}, Weights: map[string]float64{}}
	for _, arg := range args {
		key, value, found := strings.Cut(arg, "=")
		pool, ofPool := strings.CutPrefix(key, "weight.")
		_, twice := change.Set[key]
		_, again := change.Weights[pool]
		switch weight, err := strconv.ParseFloat(value, 64); {
		case !found || key == "":
			return usageError("%s: want KEY=VALUE", words.Shown(arg))
		case twice || ofPool && again:
			return usageError("%s is there twice", words.Shown(key))
		case !ofPool:
			change.Set[key] = value
		case err != nil || !(weight > 0) || math.IsInf(weight, 0):
			return usageError("%s: want a number above 0", words.Shown(arg))
		default:
			change.Weights[pool] = weight
		}
	}
	policy, err := client.Reconfigure(ctx, change)
	return c.printSettings(slices.DeleteFunc(policy.Settings, func(s api.Setting) bool {
		for key := range change.Set {
			if s.Key == key || strings.HasSuffix(s.Key, "."+key) {
				return false
			}
		}
		return s.Key != "pools.list" || len(change.Weights) == 0
	}), err)
}
