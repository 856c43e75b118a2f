package cli

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/serve/api"
)

// storedName is a name in the block store, with or without dfs: before it.
func storedName(text string) string { return strings.Trim(strings.TrimPrefix(text, "dfs:"), "/") }

// storeCommand is a command about the block store of a server.
func storeCommand(reads bool, cmd *cobra.Command, do func(cmd *cobra.Command, client *api.Client, c *clientFlags, args []string) error) *cobra.Command {
	c := new(clientFlags)
	c.register(cmd, reads)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		client, err := c.client()
		if err != nil {
			return err
		}
		return clientError(do(cmd, client, c, args))
	}
	return cmd
}

// newPut is the command `tarry put`.
func newPut(p *program) *cobra.Command {
	return storeCommand(false, &cobra.Command{
		Use:   "put FILE NAME",
		Short: "Copy a file into the block store of a server, tarry serve",
		Long: `Copy a file into the block store of a server, tarry serve, where jobs read it as dfs:NAME. FILE may
be - for standard input. NAME must not be there.

  tarry put book.txt in/book.txt
  tarry submit wordcount dfs:in -o dfs:counts`,
		Args: arguments(2, 2, "a file and a name in the store"),
	}, func(cmd *cobra.Command, client *api.Client, _ *clientFlags, args []string) error {
		in, err := p.openArgument(args[0])
		if err != nil {
			return err
		}
		defer in.Close()
		return client.Put(cmd.Context(), storedName(args[1]), in)
	})
}

// newGet is the command `tarry get`.
func newGet(p *program) *cobra.Command {
	output := ""
	cmd := storeCommand(false, &cobra.Command{
		Use:   "get NAME",
		Short: "Copy a file out of the block store of a server, tarry serve",
		Long: `Copy a file out of the block store of a server, tarry serve, to standard output or a new file.

  tarry get counts/part-r-00000 | head
  tarry get counts/part-r-00000 -o counts.txt`,
		Args: arguments(1, 1, "a name in the store"),
	}, func(cmd *cobra.Command, client *api.Client, _ *clientFlags, args []string) error {
		content, err := client.Get(cmd.Context(), storedName(args[0]))
		if err != nil {
			return err
		}
		defer content.Close()
		if output == "-" {
			_, err = io.Copy(p.stdout, content)
			return err
		}
		file, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return outputError(output, err)
		}
		if _, err = io.Copy(file, content); err != nil {
			return firstError(err, file.Close(), os.Remove(output))
		}
		return file.Close()
	})
	cmd.Flags().StringVarP(&output, "output", "o", "-", "file to write, which must not exist; - is standard output")
	return cmd
}

// newLs is the command `tarry ls`.
func newLs(p *program) *cobra.Command {
	return storeCommand(true, &cobra.Command{
		Use:   "ls DIR",
		Short: "List a directory of the block store of a server, tarry serve",
		Long: `List a directory of the block store of a server, tarry serve; without DIR its root.

  tarry ls
  tarry ls counts`,
		Args: arguments(0, 1, "one directory"),
	}, func(cmd *cobra.Command, client *api.Client, c *clientFlags, args []string) error {
		list, err := client.Files(cmd.Context(), storedName(strings.Join(args, "")))
		if err != nil {
			return err
		}
		return rows(p, c.json, "SIZE\tNAME", list, func(f api.File) []string {
			if f.Directory {
				return []string{"-", f.Name + "/"}
			}
			return []string{strconv.FormatInt(f.Size, 10), f.Name}
		})
	})
}

// newRm is the command `tarry rm`.
func newRm(*program) *cobra.Command {
	return storeCommand(false, &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a file of the block store of a server, or a directory with all in it",
		Long: `Remove a file of the block store of a server, tarry serve, or a directory with all that is in it.

  tarry rm counts`,
		Args: arguments(1, 1, "a name in the store"),
	}, func(cmd *cobra.Command, client *api.Client, _ *clientFlags, args []string) error {
		return client.Remove(cmd.Context(), storedName(args[0]))
	})
}

// newHistory is the command `tarry history`.
func newHistory(p *program) *cobra.Command {
	user := ""
	cmd := storeCommand(true, &cobra.Command{
		Use:   "history",
		Short: "List the jobs of a server, tarry serve, that have ended",
		Long: `List the jobs of a server, tarry serve, that have ended, the last submitted first. It remembers the
last thousand, with --state those of former processes, too.

  tarry history --of ann`,
		Args: arguments(0, 0, "no arguments"),
	}, func(cmd *cobra.Command, client *api.Client, c *clientFlags, _ []string) error {
		list, err := client.History(cmd.Context(), user)
		if err != nil {
			return err
		}
		return printJobs(p, c.json, list)
	})
	cmd.Flags().StringVar(&user, "of", "", "only those of this user")
	return cmd
}
