package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// clientFlags are the flags of a client of `tarry serve`.
type clientFlags struct {
	*program

	server    string
	tokenFile string
	ca        string
	cert      string
	key       string
	json      bool
}

// register adds the flags to the command and its sub-commands. reads says that it prints what it
// reads, as JSON if asked to.
func (c *clientFlags) register(cmd *cobra.Command, reads bool) {
	f := cmd.PersistentFlags()
	f.StringVar(&c.server, "server", "http://"+serve.DefaultListen, "address of the server")
	f.StringVar(&c.tokenFile, "token-file", "", "file with the token that shows who calls")
	f.StringVar(&c.ca, "ca", "", "file (PEM) with who signs the server's certificate (default: whom this machine trusts)")
	f.StringVar(&c.cert, "cert", "", "file (PEM) with the certificate that shows who calls")
	f.StringVar(&c.key, "key", "", "file (PEM) with its key")
	cmd.MarkFlagsRequiredTogether("cert", "key")
	if reads {
		f.BoolVar(&c.json, "json", false, "print one JSON object a line")
	}
}

// mostToken is how many bytes a file with a token has at most.
const mostToken = 10_000

// client makes a client of the server.
func (c *clientFlags) client() (*api.Client, error) {
	if !strings.Contains(c.server, "://") {
		c.server = "http://" + c.server
	}
	at, err := url.Parse(c.server)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || strings.Trim(at.Path, "/") != "" {
		return nil, usageError("--server %s: want an address such as http://127.0.0.1:8088", words.Shown(c.server))
	}
	client := &api.Client{Base: c.server}
	if c.tokenFile != "" {
		text, err := os.ReadFile(c.tokenFile)
		if err != nil {
			return nil, configError("--token-file: %w", plainPathError(c.tokenFile, err))
		}
		token, _, _ := strings.Cut(strings.TrimSpace(string(text[:min(len(text), mostToken)])), "\n")
		fields := strings.Fields(token) // the line of a file of --tokens, too
		if len(fields) == 0 {
			return nil, configError("--token-file %s: no token in it", words.Shown(c.tokenFile))
		}
		client.Token = fields[0]
	}
	if c.ca == "" && c.cert == "" {
		return client, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.ca != "" {
		var pool *x509.CertPool
		if pool, err = readPool(c.ca); err != nil {
			return nil, configError("--ca: %w", err)
		}
		cfg.RootCAs = pool
	}
	if c.cert != "" {
		pair, err := tls.LoadX509KeyPair(c.cert, c.key)
		if err != nil {
			return nil, configError("--cert: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	client.WithTLS(cfg)
	return client, nil
}

// local tells whether the server is on this machine, so that names of files mean the same to both.
func (c *clientFlags) local() bool {
	at, err := url.Parse(c.server)
	return err == nil && loopback(at.Hostname()+":0")
}

// ask is a sub-command that asks a server.
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

// show prints what a server said: as JSON if that is asked for, else as text does.
func (c *clientFlags) show(said any, text func() error) error {
	if c.json {
		return json.NewEncoder(c.stdout).Encode(said)
	}
	return text()
}

// rows prints a list as a table, or as objects. row gives the columns of an item.
func rows[T any](c *clientFlags, head string, list []T, row func(T) []string) error {
	lines := [][]string{strings.Split(head, " ")}
	for _, x := range list {
		if c.json {
			if err := json.NewEncoder(c.stdout).Encode(x); err != nil {
				return err
			}
		}
		lines = append(lines, row(x))
	}
	if c.json {
		return nil
	}
	return table(c.stdout, lines)
}

// clientError gives what a server said its exit code.
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

// jobNumber reads the number of a job.
func jobNumber(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, usageError("job %s: want a number, as tarry job list shows it", words.Shown(text))
	}
	return n, nil
}

// ownFlags takes those flags out of the words behind a job that are the client's own: the others are
// the job's. Flags behind -- are not looked at.
func ownFlags(f *pflag.FlagSet, args []string, own ...string) (rest []string, err error) {
	for i := 0; i < len(args); i++ {
		name, value, with := strings.Cut(strings.TrimPrefix(args[i], "--"), "=")
		if args[i] == "--" {
			return append(rest, args[i:]...), nil
		}
		known := f.Lookup(name)
		if !strings.HasPrefix(args[i], "--") || known == nil || !slices.Contains(own, name) {
			rest = append(rest, args[i])
			continue
		}
		if !with {
			value = known.NoOptDefVal
			if value == "" {
				if i++; i == len(args) {
					return nil, usageError("--%s: want a value", name)
				}
				value = args[i]
			}
		}
		if err := f.Set(name, value); err != nil {
			return nil, usageError("--%s %s: %w", name, words.Shown(value), valueFault(known, err))
		}
	}
	return rest, nil
}
