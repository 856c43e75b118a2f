package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/play/site"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

func playCommand(c *command) {
	c.Use, c.Short = "play [--export DIR]", "Serve the playground: the scheduler in the browser"
	c.Long = `Serve the playground: the live scheduler, compiled for the browser, on the screens of the page.
Choose or write a workload, a cluster and a policy, move W1, W2, D and links, step by decisions or
heartbeats, compare two policies, take a lesson, and share all of it by its address.

  tarry play
  tarry play --export site

Only this machine can reach it; --export writes it as a static site for any web server.`
	listen, export := "", ""
	c.RunE = func(*cobra.Command, []string) error {
		dir, err := site.Module()
		if err != nil {
			return configError("%w: in a clone of the source run make build", err)
		}
		files, err := site.Files(dir)
		switch {
		case err != nil:
			return err
		case export != "":
			return outputError(export, site.Export(export, files))
		}
		return serveSite(c.Context(), c.program, listen, files)
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8017", "serve at this `ADDRESS` of this machine; 127.0.0.1:0 takes any port")
	c.Flags().StringVar(&export, "export", "", "write the site to `DIR`, which must not exist, and serve nothing")
	excludes(c.Command, "export", "listen")
}

// serveSite serves the files until ctx ends.
func serveSite(ctx context.Context, p *program, address string, files map[string][]byte) error {
	if !loopback(address) {
		return usageError("--listen %s: want an address of this machine alone, such as 127.0.0.1:8017", words.Shown(address))
	}
	at, err := net.Listen("tcp", address)
	if err != nil {
		return configError("--listen: %w", err)
	}
	server := &http.Server{Handler: site.Handler(files), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // Serve returns the error
	defer stop()
	fmt.Fprintf(p.stdout, "http://%s/\n", at.Addr())
	if err := server.Serve(at); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
