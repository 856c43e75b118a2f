package cli

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// fsckFlags are the flags of `tarry fsck`.
type fsckFlags struct {
	nodes, racks, replication int
	blockSize                 numbers.Bytes
	lose                      []string
	damage                    int
	heal, json                bool
	seed                      uint64
}

// newFsck is the command `tarry fsck FILE...`.
func newFsck(p *program) *cobra.Command {
	f := &fsckFlags{blockSize: dfs.DefaultBlockSize}
	cmd := &cobra.Command{
		Use:   "fsck FILE...",
		Short: "Show how files lie in the block store, and what damage does to them",
		Long: `Put files into a block store as a cluster of --nodes would hold them, lose nodes and damage
replicas as asked, heal if asked, and then check every replica of every block against its sums: one
line a block with the nodes that hold it, and a summary, as of hdfs fsck -files -blocks -locations.

The store lives in the memory of a process: there is none to check between runs. A run checks what
it reads, drops what is damaged, and heals from good replicas.

Exit code 1: a block has no good replica.`,
		Args: arguments(1, math.MaxInt, "files"),
		RunE: func(_ *cobra.Command, args []string) error { return p.fsck(f, args) },
	}
	s := cmd.Flags()
	number(s, &f.nodes, "nodes", 4, span(1, 10_000), "nodes of the cluster, named node-00, node-01, …")
	number(s, &f.racks, "racks", 2, span(1, 10_000), "racks of the cluster")
	number(s, &f.replication, "replication", 3, span(1, 1_000), "replicas of a block")
	number(s, &f.blockSize, "block-size", f.blockSize, span(1, 1<<40), "size at which files are cut into blocks")
	s.StringSliceVar(&f.lose, "lose", nil, "nodes to lose, with all that they hold, as node-00,node-02")
	number(s, &f.damage, "damage", 0, span(0, 1e9), "replicas of which a bit is flipped, chosen at random")
	s.BoolVar(&f.heal, "heal", false, "let the store make replicas again, before and after the check")
	number(s, &f.seed, "seed", 1, seeds, "seed of the places and of what is damaged")
	s.BoolVar(&f.json, "json", false, "print one JSON object a file")
	return cmd
}

// fsck makes the store, does the damage and checks.
func (p *program) fsck(f *fsckFlags, names []string) error {
	store, err := f.store(names)
	if err != nil {
		return err
	}
	if err := f.harm(store, names); err != nil {
		return err
	}
	if f.heal {
		store.Heal()
	}
	var checked []dfs.FileHealth
	blocks, missing := 0, 0
	for i, name := range names {
		h, err := store.Check(stored(i))
		if err != nil {
			return err
		}
		h.Name = name
		checked = append(checked, h)
		blocks += len(h.Blocks)
		for j := range h.Blocks {
			if h.Blocks[j].Missing() {
				missing++
			}
		}
	}
	healed := 0
	if f.heal {
		healed = store.Heal()
	}
	if f.json {
		err = printJSON(p, checked)
	} else {
		err = printHealth(p, checked, healed)
	}
	if err == nil && missing > 0 {
		return fmt.Errorf("%d of %d blocks have no good replica", missing, blocks)
	}
	return err
}

// stored names the i-th file in the store.
func stored(i int) string { return fmt.Sprintf("file-%d", i) }

// store makes a store that holds the files.
func (f *fsckFlags) store(names []string) (*dfs.FS, error) {
	cfg := dfs.Config{Replication: min(f.replication, f.nodes), BlockSize: int64(f.blockSize), Seed: f.seed}
	for i := range f.nodes {
		cfg.Nodes = append(cfg.Nodes, dfs.Node{ID: dfs.NodeID(fmt.Sprintf("node-%02d", i)), Rack: fmt.Sprintf("rack-%d", i%f.racks)})
	}
	store, err := dfs.New(cfg)
	if err != nil {
		return nil, configError("%w", err)
	}
	for i, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, plainPathError(name, err)
		}
		if err := store.WriteFile(stored(i), b); err != nil {
			return nil, err
		}
	}
	return store, nil
}

// harm loses nodes and damages replicas.
func (f *fsckFlags) harm(store *dfs.FS, names []string) error {
	var replicas []dfs.Copy // To a node that has one
	for i := range names {
		blocks, err := store.Blocks(stored(i))
		if err != nil {
			return err
		}
		for _, b := range blocks {
			for _, n := range b.Nodes {
				replicas = append(replicas, dfs.Copy{Block: b.ID, To: n})
			}
		}
	}
	for _, name := range f.lose {
		if err := store.Lose(dfs.NodeID(name), true); err != nil {
			return usageError("--lose %s: no such node", words.Shown(name))
		}
	}
	replicas = slices.DeleteFunc(replicas, func(c dfs.Copy) bool { return slices.Contains(f.lose, c.To.String()) })
	if f.damage > len(replicas) {
		return usageError("--damage %d: all there is: %s", f.damage, words.Count(len(replicas), "replica"))
	}
	r := rand.New(rand.NewPCG(f.seed, 0xf5c4))
	for _, i := range r.Perm(len(replicas))[:f.damage] {
		store.Damage(replicas[i].To, replicas[i].Block)
	}
	return nil
}

// printHealth prints a line for each file and block, and sums up.
func printHealth(p *program, files []dfs.FileHealth, healed int) error {
	out := bufio.NewWriter(p.stdout)
	var size int64
	var blocks, replicas, under, corrupt, missing int
	for _, h := range files {
		fmt.Fprintf(out, "%s  %s, %s\n", words.Shown(h.Name), numbers.Human(h.Size), words.Count(len(h.Blocks), "block"))
		size += h.Size
		for i := range h.Blocks {
			b := &h.Blocks[i]
			fmt.Fprintf(out, "  %d. %v at %d  %s  %d of %s", i, b.ID, b.Offset, words.Count(b.Length, "byte"), len(b.Nodes), words.Count(b.Wanted, "replica"))
			if len(b.Nodes) > 0 {
				fmt.Fprintf(out, "  %s", strings.Trim(fmt.Sprint(b.Nodes), "[]"))
			}
			if len(b.Corrupt) > 0 {
				fmt.Fprintf(out, "  corrupt: %s", strings.Trim(fmt.Sprint(b.Corrupt), "[]"))
			}
			blocks, replicas, corrupt = blocks+1, replicas+len(b.Nodes), corrupt+len(b.Corrupt)
			switch {
			case b.Missing():
				fmt.Fprint(out, "  MISSING")
				missing++
			case len(b.Nodes) < b.Wanted:
				under++
			}
			fmt.Fprintln(out)
		}
	}
	fmt.Fprintf(out, "\nfiles %d, %s in %s with %s\n", len(files), numbers.Human(size), words.Count(blocks, "block"), words.Count(replicas, "good replica"))
	fmt.Fprintf(out, "corrupt replicas %d, under-replicated blocks %d, missing blocks %d\n", corrupt, under, missing)
	if healed > 0 {
		fmt.Fprintf(out, "replicas made again after the check: %d\n", healed)
	}
	state := "healthy"
	if missing > 0 {
		state = "CORRUPT"
	}
	fmt.Fprintf(out, "the store is %s\n", state)
	return out.Flush()
}
