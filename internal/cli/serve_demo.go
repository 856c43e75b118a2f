package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/gen"
	"github.com/tarry-mr/tarry/internal/scratch"
)

// demoDefaults sets up the cluster of --demo where the command line says nothing: small racks whose
// links take time, and a D so small that maps leave their data.
func (f *serveFlags) demoDefaults(cmd *cobra.Command) {
	for name, value := range map[string]string{
		"racks": "4", "nodes": "8", "map-slots": "2", "reduce-slots": "1", "replication": "2", "skips": "1",
		"emulate-network": "true", "node-link": "4MB", "oversubscription": "4", "block-size": "64KiB",
	} {
		waits := name == "skips" && (cmd.Flags().Changed("wait") || cmd.Flags().Changed("rack-wait"))
		if !cmd.Flags().Changed(name) && !waits {
			_ = cmd.Flags().Set(name, value) // they are right
		}
	}
}

// demo is the workload of --demo; a nil one does nothing.
type demo struct {
	dir  *scratch.Item
	work sync.WaitGroup
	end  context.CancelFunc
}

// newDemo makes the files that the jobs read, in a directory that becomes a root of the server.
func (f *serveFlags) newDemo(cfg *serve.Config) (*demo, error) {
	if !f.demo {
		return nil, nil
	}
	dir, err := scratch.Dir("", "tarry-demo-")
	if err != nil {
		return nil, err
	}
	d := &demo{dir: dir, end: func() {}}
	for name, c := range map[string]gen.Config{
		"book.txt":  {Kind: gen.Text, Bytes: 2 << 20, Seed: 1, Words: 5000},
		"pairs.txt": {Kind: gen.Pairs, Bytes: 1 << 20, Seed: 2, Words: 40, Skew: 1.6}, // one key is most of it
	} {
		if err := gen.WriteFile(context.Background(), filepath.Join(dir.Name(), name), c, false); err != nil {
			return nil, errors.Join(err, dir.Remove())
		}
	}
	naps := strings.Repeat("300ms\n600ms\n1.2s\n", 8)
	if err := os.WriteFile(filepath.Join(dir.Name(), "naps.txt"), []byte(naps), 0o600); err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	cfg.Roots = append(cfg.Roots, dir.Name())
	return d, nil
}

// demoJobs are the jobs of the workload, by turns: small ones of ann, large ones of bob with skewed
// reduces, and cat's, which hold slots for a while.
func demoJobs() []api.Submission {
	return []api.Submission{
		{Job: "grep", Args: []string{"a.*e", "book.txt"}, User: "ann"},
		{Job: "sleep", Args: []string{"naps.txt", "--reduce-time", "1s"}, User: "cat"},
		{Job: "secondarysort", Args: []string{"pairs.txt", "--reduces", "6"}, User: "bob"},
		{Job: "wordcount", Args: []string{"book.txt", "--reduces", "2"}, User: "ann", Priority: "high"},
		{Job: "index", Args: []string{"book.txt", "--reduces", "4"}, User: "bob"},
	}
}

const (
	demoEvery = 700 * time.Millisecond
	demoMost  = 8 // jobs at once
)

// begin submits jobs until ctx ends.
func (d *demo) begin(ctx context.Context, url string) {
	if d == nil {
		return
	}
	ctx, d.end = context.WithCancel(ctx)
	client := &api.Client{Base: url}
	d.work.Go(func() {
		running := map[int64]string{} // outputs
		for n, jobs := 0, demoJobs(); ; n++ {
			for id, out := range running {
				if j, err := client.Job(ctx, id); err == nil && api.Ended(j.State) {
					_ = client.Remove(ctx, out) // one that failed has none
					delete(running, id)
				}
			}
			if len(running) < demoMost {
				s := jobs[n%len(jobs)]
				out := fmt.Sprintf("demo/%d", n)
				s.Args, s.Directory = append(append([]string(nil), s.Args...), "--output", "dfs:"+out), d.dir.Name()
				if j, err := client.Submit(ctx, s, ""); err == nil {
					running[j.ID] = out
				}
			}
			select {
			case <-time.After(demoEvery):
			case <-ctx.Done():
				return
			}
		}
	})
}

// close ends the workload and removes its files.
func (d *demo) close() error {
	if d == nil {
		return nil
	}
	d.end()
	d.work.Wait()
	return d.dir.Remove()
}
