package cli

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// storedName is a name in the block store, with or without dfs: before it.
func storedName(text string) string { return strings.Trim(strings.TrimPrefix(text, "dfs:"), "/") }

// newFS is the command `tarry fs`.
func newFS(p *program) *cobra.Command {
	c := new(clientFlags)
	cmd := family("fs", "Copy files into and out of the block store of a server, list and remove them", `Copy files into and out of the block store of a server, tarry serve; list and remove them. Jobs read
and write them as dfs:NAME.

  tarry fs put book.txt in/book.txt
  tarry submit wordcount dfs:in -o dfs:counts
  tarry fs ls counts
  tarry fs get counts/part-r-00000 | head
  tarry fs rm counts`,
		newPut(p, c), newGet(p, c), newLs(p, c), newRm(c))
	c.register(cmd, false)
	return cmd
}

func newPut(p *program, c *clientFlags) *cobra.Command {
	return ofServer(c, "put FILE NAME", "Copy FILE, or - for standard input, to a NAME that is not there yet", 2, 2,
		"a file and a name in the store", func(cmd *cobra.Command, client *api.Client, args []string) error {
			in, err := p.openArgument(args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			return client.Put(cmd.Context(), storedName(args[1]), in)
		})
}

func newGet(p *program, c *clientFlags) *cobra.Command {
	output := ""
	cmd := ofServer(c, "get NAME", "Copy a file out of the store", 1, 1, "a name in the store",
		func(cmd *cobra.Command, client *api.Client, args []string) error {
			content, err := client.Get(cmd.Context(), storedName(args[0]))
			if err != nil {
				return err
			}
			defer content.Close()
			if output == "-" {
				_, err = io.Copy(p.stdout, content)
				return err
			}
			return writeFile(output, os.O_EXCL, func(w io.Writer) error {
				_, err := io.Copy(w, content)
				return err
			})
		})
	cmd.Flags().StringVarP(&output, "output", "o", "-", "file to write, which must not exist; - is standard output")
	return cmd
}

func newLs(p *program, c *clientFlags) *cobra.Command {
	cmd := ofServer(c, "ls [DIR]", "List a directory of the store, or its root", 0, 1, "one directory",
		func(cmd *cobra.Command, client *api.Client, args []string) error {
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
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object a line")
	return cmd
}

func newRm(c *clientFlags) *cobra.Command {
	return ofServer(c, "rm NAME", "Remove a file, or a directory with all that is in it", 1, 1, "a name in the store",
		func(cmd *cobra.Command, client *api.Client, args []string) error {
			return client.Remove(cmd.Context(), storedName(args[0]))
		})
}
