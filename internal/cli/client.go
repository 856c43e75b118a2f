package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// clientFlags are the flags of a command that is a client of `tarry serve`.
type clientFlags struct {
	*command
	api.Connection

	json bool
}

// register adds the flags to the command and its subcommands. With reads also --json, for commands
// that print the server's answers.
func (c *clientFlags) register(reads bool) {
	f := c.PersistentFlags()
	f.StringVar(&c.Server, "server", "http://"+serve.DefaultListen, "call the server at this `URL`")
	f.StringVar(&c.TokenFile, "token-file", "", "authenticate with the token in `FILE`")
	f.StringVar(&c.CA, "ca", "", "verify the server against the CA certificates in `FILE` (PEM) (default: those that this machine trusts)")
	f.StringVar(&c.Cert, "cert", "", "authenticate with the certificate in `FILE` (PEM)")
	f.StringVar(&c.Key, "key", "", "read the key of the certificate from `FILE` (PEM)")
	c.MarkFlagsRequiredTogether("cert", "key")
	if reads {
		f.BoolVar(&c.json, "json", false, "print one JSON object per line")
	}
}

// client returns a client of the server.
func (c *clientFlags) client() (*api.Client, error) {
	client, err := c.Connection.Client()
	if errors.Is(err, api.ErrAddress) {
		return nil, usageError("--%w", err)
	}
	return client, invalid(err)
}

// ask returns a subcommand that calls do with its least to most arguments, which what describes.
func (c *clientFlags) ask(use, short string, least, most int, what string,
	do func(ctx context.Context, client *api.Client, args []string) error,
) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: arguments(least, most, what),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.client()
			if err != nil {
				return err
			}
			return clientError(do(cmd.Context(), client, args))
		},
	}
}

// answer prints said as JSON with --json, otherwise by text. If a call failed, it only returns err.
func (c *clientFlags) answer(said any, err error, text func(out io.Writer)) error {
	if err != nil {
		return err
	}
	return show(c.program, c.json, []any{said}, text)
}

// rows prints a list as a table with the column titles of head, or as JSON objects with --json. row
// returns the columns of an item. If the call failed, rows only returns err.
func rows[T any](c *clientFlags, head string, list []T, err error, row func(T) []string) error {
	if err != nil {
		return err
	}
	return show(c.program, c.json, list, func(out io.Writer) {
		lines := [][]string{strings.Split(head, " ")}
		for _, x := range list {
			lines = append(lines, row(x))
		}
		table(out, lines)
	})
}

// clientError returns err, with the exit code that fits if it is an error from the server.
func clientError(err error) error {
	p, ok := errors.AsType[*api.Problem](err)
	if !ok {
		return err
	}
	code := exitFailed
	switch {
	case p.Code == "output-exists" || p.Code == "exists" || p.Code == "bad-output":
		code = exitConfig
	case p.Code == "bad-input":
	case p.Status == http.StatusUnprocessableEntity || p.Status == http.StatusBadRequest:
		code = exitUsage
	}
	return &exitError{code, errors.New(words.Printable(p.Error()))}
}

// jobNumber parses the number of a job.
func jobNumber(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, usageError("job %s: want a number, as tarry job list shows it", words.Shown(text))
	}
	return n, nil
}
