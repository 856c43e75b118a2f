package cli

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// newFsck is the command `tarry fsck FILE...`.
func newFsck(p *program) *cobra.Command {
	nodes, racks := 0, 0
	var c dfs.Config
	var lose []string
	heal := false
	cmd := &cobra.Command{
		Use:   "fsck FILE...",
		Short: "Show how files lie in the block store, and what the loss of nodes does to them",
		Long: `Put files into a block store as a cluster of --nodes would hold them, lose nodes as asked, heal if
asked, and then check every replica of every block against its sums: one line a block with the nodes
that hold it, and a summary, as of hdfs fsck -files -blocks -locations. The store lives in the
memory of this process.

Exit code 1: a block has no good replica.`,
		Args: arguments(1, math.MaxInt, "files"),
		RunE: func(_ *cobra.Command, names []string) error {
			for i := range nodes {
				c.Nodes = append(c.Nodes, dfs.Node{ID: dfs.NodeID(fmt.Sprintf("node-%02d", i)), Rack: fmt.Sprintf("rack-%d", i%racks)})
			}
			c.Replication = min(c.Replication, nodes)
			store, err := storeOf(c, names)
			if err != nil {
				return err
			}
			for _, name := range lose {
				if err := store.Lose(dfs.NodeID(name), true); err != nil {
					return usageError("--lose %s: no such node", words.Shown(name))
				}
			}
			if heal {
				store.Heal()
			}
			return p.printHealth(store, names)
		},
	}
	s := cmd.Flags()
	number(s, &nodes, "nodes", 4, span(1, 10_000), "nodes of the cluster, named node-00, node-01, …")
	number(s, &racks, "racks", 2, span(1, 10_000), "racks of the cluster")
	number(s, &c.Replication, "replication", 3, span(1, 1_000), "replicas of a block")
	number(s, (*numbers.Bytes)(&c.BlockSize), "block-size", dfs.DefaultBlockSize, span(1, 1<<40), "size at which files are cut into blocks")
	number(s, &c.Seed, "seed", 1, seeds, "seed of the places")
	s.StringSliceVar(&lose, "lose", nil, "nodes to lose, with all that they hold, as node-00,node-02")
	s.BoolVar(&heal, "heal", false, "let the store make replicas again")
	return cmd
}

// stored names the i-th file in the store.
func stored(i int) string { return fmt.Sprintf("file-%d", i) }

// storeOf makes a store that holds the files.
func storeOf(c dfs.Config, names []string) (*dfs.FS, error) {
	store, err := dfs.New(c)
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

// printHealth checks all files, prints a line for each file and block, and sums up.
func (p *program) printHealth(store *dfs.FS, names []string) error {
	out := bufio.NewWriter(p.stdout)
	var size int64
	var blocks, replicas, under, corrupt, missing int
	for i, name := range names {
		h, err := store.Check(stored(i))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s  %s, %s\n", words.Shown(name), numbers.Human(h.Size), words.Count(len(h.Blocks), "block"))
		size += h.Size
		for i := range h.Blocks {
			b := &h.Blocks[i]
			line := fmt.Sprintf("  %d. %v at %d  %s  %d of %s  %s", i, b.ID, b.Offset, words.Count(b.Length, "byte"), len(b.Nodes),
				words.Count(b.Wanted, "replica"), strings.Trim(fmt.Sprint(b.Nodes), "[]"))
			blocks, replicas, corrupt = blocks+1, replicas+len(b.Nodes), corrupt+len(b.Corrupt)
			switch {
			case b.Missing():
				line += "MISSING"
				missing++
			case len(b.Nodes) < b.Wanted:
				under++
			}
			fmt.Fprintln(out, line)
		}
	}
	state := "healthy"
	if missing > 0 {
		state = "CORRUPT"
	}
	fmt.Fprintf(out, "\nfiles %d, %s in %s with %s\ncorrupt replicas %d, under-replicated blocks %d, missing blocks %d\nthe store is %s\n",
		len(names), numbers.Human(size), words.Count(blocks, "block"), words.Count(replicas, "good replica"), corrupt, under, missing, state)
	if err := out.Flush(); err != nil || missing == 0 {
		return err
	}
	return fmt.Errorf("%d of %d blocks have no good replica", missing, blocks)
}
