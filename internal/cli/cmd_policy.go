package cli

import (
	"encoding/json"
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
	c := new(clientFlags)
	cmd := family("policy", "Watch and change the scheduler of a server, tarry serve", `Watch and change the scheduler of a server, tarry serve, while it works. Settings are those of tarry
config policy. A change holds until the next, a reload of changed files, or the end of the server.

  tarry policy show locality
  tarry policy set locality.rule=wait locality.waits=2s/4s
  tarry policy weight ann=2 bob=0.5
  tarry policy reload`,
		newPolicyShow(p, c), newPolicyPools(p, c), newPolicySet(p, c), newPolicyWeight(p, c), newPolicyReload(p, c))
	c.register(cmd, true)
	return cmd
}

// manySettings is the most that one command changes.
const manySettings = 1000

func newPolicyShow(p *program, c *clientFlags) *cobra.Command {
	return ofServer(c, "show [KEY...]", "Show the settings in force, all or those whose keys begin so", 0, manySettings, "beginnings of keys",
		func(cmd *cobra.Command, client *api.Client, args []string) error {
			policy, err := client.Policy(cmd.Context())
			if err != nil {
				return err
			}
			list := slices.DeleteFunc(policy.Settings, func(s api.Setting) bool {
				return len(args) > 0 && !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(s.Key, a) })
			})
			if len(list) == 0 {
				return usageError("%s: the scheduler %s has no such setting", words.Shown(args[0]), policy.Name)
			}
			return showSettings(p, c.json, list)
		})
}

// showSettings prints a table of settings.
func showSettings(p *program, asJSON bool, list []api.Setting) error {
	return rows(p, asJSON, "KEY\tVALUE\tMEANING", list, func(s api.Setting) []string {
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

func newPolicyPools(p *program, c *clientFlags) *cobra.Command {
	return ofServer(c, "pools", "Show the pools or queues", 0, 0, "no arguments",
		func(cmd *cobra.Command, client *api.Client, _ []string) error {
			policy, err := client.Policy(cmd.Context())
			if err != nil {
				return err
			}
			return printPools(p, c.json, policy.Pools)
		})
}

// printPools prints a table of pools or queues.
func printPools(p *program, asJSON bool, list []api.Pool) error {
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
	return rows(p, asJSON, "POOL\tJOBS\tWEIGHT\tMODE\tMAPS\tREDUCES", list, func(x api.Pool) []string {
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
		if !found || key == "" {
			return nil, usageError("%s: want %s", words.Shown(arg), what)
		}
		if _, twice := set[key]; twice {
			return nil, usageError("%s is there twice", words.Shown(key))
		}
		set[key] = value
	}
	return set, nil
}

func newPolicySet(p *program, c *clientFlags) *cobra.Command {
	return ofServer(c, "set KEY=VALUE...", "Change settings, all of them or none", 1, manySettings, "settings such as locality.waits=2s/4s",
		func(cmd *cobra.Command, client *api.Client, args []string) error {
			set, err := pairsOf(args, "KEY=VALUE")
			if err != nil {
				return err
			}
			policy, err := client.Reconfigure(cmd.Context(), api.PolicyChange{Set: set})
			if err != nil {
				return err
			}
			list := slices.DeleteFunc(policy.Settings, func(s api.Setting) bool {
				return !slices.ContainsFunc(args, func(a string) bool {
					key, _, _ := strings.Cut(a, "=")
					return s.Key == key || strings.HasSuffix(s.Key, "."+key)
				})
			})
			return showSettings(p, c.json, list)
		})
}

func newPolicyWeight(p *program, c *clientFlags) *cobra.Command {
	return ofServer(c, "weight POOL=WEIGHT...", "Change weights of pools, all of them or none", 1, manySettings, "pools with their weights, such as ann=2",
		func(cmd *cobra.Command, client *api.Client, args []string) error {
			set, err := pairsOf(args, "POOL=WEIGHT")
			if err != nil {
				return err
			}
			weights := map[string]float64{}
			for name, text := range set {
				w, err := strconv.ParseFloat(text, 64)
				if weights[name] = w; err != nil || !(w > 0) || math.IsInf(w, 0) {
					return usageError("%s=%s: want a number above 0", words.Shown(name), words.Shown(text))
				}
			}
			policy, err := client.Reconfigure(cmd.Context(), api.PolicyChange{Weights: weights})
			if err != nil {
				return err
			}
			return printPools(p, c.json, policy.Pools)
		})
}

func newPolicyReload(p *program, c *clientFlags) *cobra.Command {
	return ofServer(c, "reload", "Have the configuration files read again at once", 0, 0, "no arguments",
		func(cmd *cobra.Command, client *api.Client, _ []string) error {
			r, err := client.Reload(cmd.Context())
			if err != nil {
				return err
			}
			if c.json {
				return json.NewEncoder(p.stdout).Encode(r)
			}
			since := "the server began"
			if r.Time != nil {
				since = r.Time.Local().Format(time.DateTime)
			}
			_, err = fmt.Fprintf(p.stdout, "the files in force are those of %s\n", since)
			return err
		})
}
