package cli

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// storedName returns the name of a file in the block store, without the prefix dfs:.
func storedName(args []string) string {
	return strings.Trim(strings.TrimPrefix(strings.Join(args, ""), "dfs:"), "/")
}

func fsCommand(cmd *command) {
	cmd.Use, cmd.Short = "fs", "Copy files into and out of the block store of a server, list and remove them"
	cmd.Long = `Copy files into and out of the block store of a server, tarry serve; list and remove them. Jobs read
and write them as dfs:NAME.

  tarry fs put book.txt in/book.txt
  tarry submit wordcount dfs:in -o dfs:counts
  tarry fs get counts/part-r-00000 | head`
	c, output := &clientFlags{command: cmd}, ""
	get := c.ask("get NAME", "Copy a file out of the store", 1, 1, "a name in the store",
		func(ctx context.Context, client *api.Client, args []string) error {
			content, err := client.Get(ctx, storedName(args))
			if err != nil {
				return err
			}
			defer content.Close()
			write := func(w io.Writer) error { _, err := io.Copy(w, content); return err }
			if output == "-" {
				return write(c.stdout)
			}
			return writeFile(output, os.O_EXCL, write)
		})
	get.Flags().StringVarP(&output, "output", "o", "-", "write to `FILE`, which must not exist; - is standard output")
	ls := c.ask("ls [DIR]", "List a directory of the store, or its root", 0, 1, "one directory",
		func(ctx context.Context, client *api.Client, args []string) error {
			list, err := client.Files(ctx, storedName(args))
			return rows(c, "SIZE NAME", list, err, func(f api.File) []string {
				if f.Directory {
					return []string{"-", f.Name + "/"}
				}
				return []string{strconv.FormatInt(f.Size, 10), f.Name}
			})
		})
	ls.Flags().BoolVar(&c.json, "json", false, "print one JSON object per line")
	c.family(
		c.ask("put FILE NAME", "Copy FILE, or - for standard input, to NAME, which must not exist", 2, 2,
			"a file and a name in the store", func(ctx context.Context, client *api.Client, args []string) error {
				in, err := c.openArgument(args[0])
				if err != nil {
					return err
				}
				defer in.Close()
				return client.Put(ctx, storedName(args[1:]), in)
			}),
		get, ls,
		c.ask("rm NAME", "Remove a file, or a directory with its content", 1, 1, "a name in the store",
			func(ctx context.Context, client *api.Client, args []string) error {
				return client.Remove(ctx, storedName(args))
			}))
	c.register(false)
}
