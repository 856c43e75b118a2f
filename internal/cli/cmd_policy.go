package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// newPolicy is the command `tarry policy`.
func newPolicy(p *program) *cobra.Command {
	c := &clientFlags{program: p}
	cmd := family("policy", "Watch and change the scheduler of a server, tarry serve", `Watch and change the scheduler of a server, tarry serve, while it works. Settings are those of tarry
config policy. A change holds until the next, a reload of changed files, or the end of the server.

  tarry policy show locality
  tarry policy set locality.rule=wait locality.waits=2s/4s
  tarry policy weight ann=2 bob=0.5
  tarry policy reload`,
		c.ask("show [KEY...]", "Show the settings in force, all or those whose keys begin so", 0, -1, "beginnings of keys", c.showPolicy),
		c.ask("pools", "Show the pools or queues", 0, 0, "no arguments",
			func(ctx context.Context, client *api.Client, _ []string) error {
				policy, err := client.Policy(ctx)
				if err != nil {
					return err
				}
				return c.printPools(policy.Pools)
			}),
		c.ask("set KEY=VALUE...", "Change settings, all of them or none", 1, -1, "settings such as locality.waits=2s/4s", c.setPolicy),
		c.ask("weight POOL=WEIGHT...", "Change weights of pools, all of them or none", 1, -1, "pools with their weights, such as ann=2", c.setWeights),
		c.ask("reload", "Have the configuration files read again at once", 0, 0, "no arguments",
			func(ctx context.Context, client *api.Client, _ []string) error {
				r, err := client.Reload(ctx)
				if err != nil {
					return err
				}
				return c.show(r, func() error {
					since := "the server began"
					if r.Time != nil {
						since = r.Time.Local().Format(time.DateTime)
					}
					_, err := fmt.Fprintf(c.stdout, "the files in force are those of %s\n", since)
					return err
				})
			}))
	c.register(cmd, true)
	return cmd
}

// showPolicy prints the settings whose keys begin as the arguments.
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
	return c.printSettings(list)
}

// printSettings prints a table of settings.
func (c *clientFlags) printSettings(list []api.Setting) error {
	return rows(c, "KEY VALUE MEANING", list, func(s api.Setting) []string {
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

// printPools prints a table of pools or queues.
func (c *clientFlags) printPools(list []api.Pool) error {
	of := func(t api.PoolTasks) string {
		most, share := "-", "-"
		if t.Max != nil {
			most = strconv.Itoa(*t.Max)
		}
		if t.Share != nil {
			share = strconv.FormatFloat(*t.Share, 'f', 1, 64)
		}
		return fmt.Sprintf("%d of %s (%d to %s)", t.Running, share, t.Min, most)
	}
	return rows(c, "POOL JOBS WEIGHT MODE MAPS REDUCES", list, func(x api.Pool) []string {
		weight := "-"
		if x.Weight > 0 {
			weight = strconv.FormatFloat(x.Weight, 'g', -1, 64)
		}
		return []string{x.Name, strconv.Itoa(x.Jobs), weight, x.Mode, of(x.Maps), of(x.Reduces)}
	})
}

// pairsOf reads arguments such as KEY=VALUE, each key once.
func pairsOf(args []string, what string) (map[string]string, error) {
	set := map[string]string{}
	for _, arg := range args {
		key, value, found := strings.Cut(arg, "=")
		if _, twice := set[key]; twice {
			return nil, usageError("%s is there twice", words.Shown(key))
		}
		if !found || key == "" {
			return nil, usageError("%s: want %s", words.Shown(arg), what)
		}
		set[key] = value
	}
	return set, nil
}

// setPolicy changes settings and prints them.
func (c *clientFlags) setPolicy(ctx context.Context, client *api.Client, args []string) error {
	set, err := pairsOf(args, "KEY=VALUE")
	if err != nil {
		return err
	}
	policy, err := client.Reconfigure(ctx, api.PolicyChange{Set: set})
	if err != nil {
		return err
	}
	return c.printSettings(slices.DeleteFunc(policy.Settings, func(s api.Setting) bool {
		for key := range set {
			if s.Key == key || strings.HasSuffix(s.Key, "."+key) {
				return false
			}
		}
		return true
	}))
}

// setWeights changes weights of pools and prints the pools.
func (c *clientFlags) setWeights(ctx context.Context, client *api.Client, args []string) error {
	set, err := pairsOf(args, "POOL=WEIGHT")
	weights := map[string]float64{}
	for name, text := range set {
		w, bad := strconv.ParseFloat(text, 64)
		if weights[name] = w; bad != nil || !(w > 0) || math.IsInf(w, 0) {
			err = usageError("%s=%s: want a number above 0", words.Shown(name), words.Shown(text))
		}
	}
	if err != nil {
		return err
	}
	policy, err := client.Reconfigure(ctx, api.PolicyChange{Weights: weights})
	if err != nil {
		return err
	}
	return c.printPools(policy.Pools)
}
