package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

func nodeCommand(cmd *command) {
	cmd.Use, cmd.Short = "node", "Watch and change the nodes of a server, tarry serve"
	cmd.Long = `Watch and change the nodes of a server, tarry serve.

  tarry node list
  tarry node drain node-03
  tarry node start node-03`
	c := &clientFlags{command: cmd}
	c.register(true)
	c.family(c.ask("list", "List the nodes", 0, 0, "no arguments", func(ctx context.Context, client *api.Client, _ []string) error {
		list, err := client.Nodes(ctx)
		return rows(c, "NODE RACK STATE MAPS REDUCES SEEN", list, err, func(n api.Node) []string {
			state := n.State
			if n.Avoided {
				state += ", avoided"
			}
			return []string{
				n.Name, n.Rack, state, fmt.Sprintf("%d/%d", n.RunningMaps, n.MapSlots),
				fmt.Sprintf("%d/%d", n.RunningReduces, n.ReduceSlots), seconds(n.SeenSeconds) + " ago",
			}
		})
	}))
	for _, a := range [][2]string{
		{"cordon", "Stop launching tasks on a node; its running tasks continue"},
		{"uncordon", "Launch tasks on a node again"},
		{"drain", "Stop launching tasks on a node, and stop it when its running tasks have ended"},
		{"kill", "Stop a node at once: its tasks restart elsewhere, its data is lost"},
		{"start", "Start a drained or killed node again, without its data"},
	} {
		cmd.AddCommand(c.ask(a[0]+" NODE", a[1], 1, 1, "the name of a node",
			func(ctx context.Context, client *api.Client, args []string) error {
				n, err := client.Node(ctx, args[0], a[0])
				return c.answer(n, err, func(out io.Writer) {
					fmt.Fprintf(out, "%s is %s\n", words.Printable(n.Name), n.State)
				})
			}))
	}
}
