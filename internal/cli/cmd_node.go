package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// newNode is the command `tarry node`.
func newNode(p *program) *cobra.Command {
	c := new(clientFlags)
	cmd := family("node", "Watch and change the nodes of a server, tarry serve", `Watch and change the nodes of a server, tarry serve.

  tarry node list
  tarry node drain node-03
  tarry node start node-03`)
	c.register(cmd, true)
	cmd.AddCommand(newNodeList(p, c))
	for _, a := range [][2]string{
		{"cordon", "Keep new tasks from a node; what it runs goes on"},
		{"uncordon", "Let new tasks in again"},
		{"drain", "Keep new tasks from a node, and stop it when what it runs has ended"},
		{"kill", "Let a node die as a power cut would: what it runs and holds is gone"},
		{"start", "Start a node again that was drained or killed, empty"},
	} {
		cmd.AddCommand(newNodeAction(p, c, a[0], a[1]))
	}
	return cmd
}

func newNodeList(p *program, c *clientFlags) *cobra.Command {
	return ofServer(c, "list", "List the nodes", 0, 0, "no arguments", func(cmd *cobra.Command, client *api.Client, _ []string) error {
		list, err := client.Nodes(cmd.Context())
		if err != nil {
			return err
		}
		return rows(p, c.json, "NODE\tRACK\tSTATE\tMAPS\tREDUCES\tSEEN", list, func(n api.Node) []string {
			state := n.State
			if n.Avoided {
				state += ", avoided"
			}
			return []string{
				n.Name, n.Rack, state, fmt.Sprintf("%d/%d", n.RunningMaps, n.MapSlots),
				fmt.Sprintf("%d/%d", n.RunningReduces, n.ReduceSlots), seconds(n.SeenSeconds) + " ago",
			}
		})
	})
}

func newNodeAction(p *program, c *clientFlags, what, short string) *cobra.Command {
	return ofServer(c, what+" NODE", short, 1, 1, "the name of a node", func(cmd *cobra.Command, client *api.Client, args []string) error {
		n, err := client.Node(cmd.Context(), args[0], what)
		if err != nil {
			return err
		}
		if c.json {
			return json.NewEncoder(p.stdout).Encode(n)
		}
		_, err = fmt.Fprintf(p.stdout, "%s is %s\n", words.Printable(n.Name), n.State)
		return err
	})
}
