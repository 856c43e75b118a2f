package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/play/site"
	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// serveFlags are the flags of `tarry serve`.
type serveFlags struct {
	clusterFlags

	listen                    string
	hosts, roots              []string
	tokens, admins            string
	tlsCert, tlsKey, clientCA string
	store                     numbers.Bytes
}

// newServe is the command `tarry serve`.
func newServe(p *program) *cobra.Command {
	f := new(serveFlags)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Keep a cluster up that takes jobs from several users over HTTP",
		Long: `Keep a cluster up that takes jobs from several users over HTTP, until it is interrupted. tarry
submit, job, node, policy and fs are its clients; /scheduler in a browser shows pools and jobs,
/api/v1 is for programs, /metrics for Prometheus. docs/server.md says more.

  tarry serve --racks 4 --nodes 40 --allocations fair-scheduler.xml --state serve.state
  tarry serve --scheduler capacity --queues capacity-scheduler.xml --listen 127.0.0.1:9000

Only this machine reaches it, and it believes who callers say they are. To serve other machines it
wants --tokens, a file with a line "TOKEN USER GROUP,GROUP" for each caller, or --client-ca: then
users and groups come from the token, or from common name and organizations of the certificate.

Jobs read and write below --root, or in the block store as dfs:NAME. Without --root that is the
working directory; where callers show who they are it is the block store alone. With --state DIR
jobs and stored files outlive the process, however it ends; the next one goes on with them.

Configuration files of the scheduler and the file of --tokens are taken up 5 to 15 seconds after a
change, and at once on SIGHUP; while they are wrong the old ones stay in force.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd, f) },
	}
	f.register(cmd)
	return cmd
}

// register adds the flags to the command.
func (f *serveFlags) register(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.listen, "listen", serve.DefaultListen, "address to listen at; port 0 is any free one")
	s.StringSliceVar(&f.hosts, "host", nil, "further names under which clients reach the server")
	s.StringArrayVar(&f.roots, "root", nil, "directory below which jobs read and write; may be repeated (default: the working directory; with --tokens or --client-ca none)")
	s.StringVar(&f.tokens, "tokens", "", "file with who may call: a line each with token, user and groups")
	s.StringVar(&f.admins, "admins", "", "who may do everything: users, a space, groups, such as \"ann operators\"")
	s.StringVar(&f.tlsCert, "tls-cert", "", "file (PEM) with the server's certificate: serve https")
	s.StringVar(&f.tlsKey, "tls-key", "", "file (PEM) with its key")
	s.StringVar(&f.clientCA, "client-ca", "", "file (PEM) with who signs certificates of clients, which they must show")
	number(s, &f.store, "store-size", 0, span(1, 1<<44),
		"what the files of the block store may hold together, outputs of jobs among them (default: half of the memory; with --state no bound)")
	f.clusterFlags.register(cmd)
	f.registerFiles(cmd)
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	needs(cmd, "tls-cert", "client-ca")
	_ = cmd.MarkFlagDirname("root") // an error: no such flag
}

// serve runs the server until it is interrupted.
func (p *program) serve(cmd *cobra.Command, f *serveFlags) (err error) {
	if len(f.roots) == 0 && f.tokens == "" && f.clientCA == "" {
		f.roots = []string{"."} // of the one person whose server it is
	}
	f.lists = true
	if err := f.check(p, cmd); err != nil {
		return err
	}
	cfg, err := f.serveConfig(cmd, p)
	if err != nil {
		return err
	}
	rec, err := openRecord(f.events)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	cfg.Cluster.Events = sink(rec)
	if cfg.Cluster.Memory > 0 {
		defer cluster.LimitHeap(cfg.Cluster.Memory + besideBudget)()
	}
	ctx := cmd.Context()
	var live *actors.Cluster
	files := f.reloader(p, func(again *clusterFlags) error {
		policy, err := again.livePolicy()
		if err != nil {
			return err
		}
		return live.Reload(policy, again.files.Rules())
	})
	if files != nil {
		cfg.Reload, cfg.Reloads = func() (api.Reload, error) { return files.ask(ctx) }, files.outcome
	}
	tokens := f.tokenReloader(p, cfg.Access.Tokens)
	var watching sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer watching.Wait()
	defer cancel()
	err = serve.Run(cmd.Context(), cfg, func(s *serve.Server, url string) {
		live = s.Cluster()
		if files != nil {
			files.failed = live.ReloadFailed
		}
		for _, r := range []*reloader{files, tokens} {
			signals, deaf := hangups()
			watching.Go(func() { r.run(ctx, signals); <-ctx.Done(); deaf() })
		}
		p.tellServing(f, s, url)
	})
	if err != nil { // what keeps a server from beginning is configuration
		return configError("%w", err)
	}
	return nil
}

// reloader reloads the scheduler's configuration files; put puts what they say in force.
func (f *serveFlags) reloader(p *program, put func(*clusterFlags) error) *reloader {
	r := &reloader{program: p, quiet: f.quiet, what: "configuration files", names: f.files.Names}
	r.load = func() (names, warnings []string, err error) {
		again := f.clusterFlags
		if err := again.read(); err != nil {
			return nil, nil, err
		}
		for _, w := range again.files.Warnings {
			warnings = append(warnings, w.Error())
		}
		return again.files.Names, warnings, put(&again)
	}
	return r.start()
}

// tokenReloader reloads the file of --tokens, if there is one.
func (f *serveFlags) tokenReloader(p *program, inForce *serve.Tokens) *reloader {
	r := &reloader{program: p, quiet: f.quiet, what: "the tokens", failed: func(error) error { return nil }}
	if f.tokens != "" {
		r.names = []string{f.tokens}
	}
	r.load = func() (names, warnings []string, err error) {
		list, err := serve.ReadTokens(f.tokens)
		if err == nil {
			inForce.Replace(list)
		}
		return r.names, nil, err
	}
	return r.start()
}

// tellServing says where the server is, and what it remembers.
func (p *program) tellServing(f *serveFlags, s *serve.Server, url string) {
	fmt.Fprintln(p.stdout, url)
	if f.quiet {
		return
	}
	say := func(format string, args ...any) { fmt.Fprintf(p.stderr, "tarry: "+format+"\n", args...) }
	say("serving at %s; %s/scheduler shows pools and jobs", url, url)
	switch n := s.Resumed(); {
	case f.stateDir == "":
		say("without --state jobs and stored files end with this process: a restart begins with nothing")
	case n > 0:
		say("jobs of a former process that go on: %d", n)
	}
	rules := f.files.Rules()
	if rules != nil && rules.Access.Enabled && f.tokens == "" && f.clientCA == "" {
		say("warning: access lists are on, but callers need not show who they are (--tokens, --client-ca)")
	}
	if f.tokens != "" && f.tlsCert == "" && !loopback(f.listen) {
		say("warning: tokens travel unencrypted to other machines without --tls-cert")
	}
}

// serveConfig is what the flags say of the server.
func (f *serveFlags) serveConfig(cmd *cobra.Command, p *program) (cfg serve.Config, err error) {
	version, _ := readVersion()
	cfg = serve.Config{
		Jobs: libraryJobs(), Listen: f.listen, Hosts: f.hosts, Roots: f.roots,
		Secrets: slices.DeleteFunc([]string{f.tokens, f.tlsCert, f.tlsKey, f.clientCA}, func(name string) bool { return name == "" }),
		State:   f.stateDir, StoreBytes: int64(f.store), Version: version,
	}
	if f.store == 0 && f.stateDir == "" {
		cfg.StoreBytes = f.memoryBudget() // files lie in memory
	}
	if dir, err := site.Module(); err == nil {
		cfg.Simulator = sync.OnceValues(func() (map[string][]byte, error) { return site.Simulator(dir) })
	}
	if cfg.Cluster, err = f.config(cmd); err != nil {
		return cfg, err
	}
	log := func(least slog.Level) *slog.Logger {
		return slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: least}))
	}
	cfg.Log, cfg.Cluster.Logger = log(slog.LevelInfo), log(slog.LevelWarn)
	if f.quiet {
		cfg.Log, cfg.Cluster.Logger = log(slog.LevelError), log(slog.LevelError)
	}
	cfg.Access, err = f.access()
	return cfg, err
}

// access is who may call the server.
func (f *serveFlags) access() (a serve.Access, err error) {
	if f.admins != "" {
		if a.Admins, err = allocation.ParseList(f.admins); err != nil {
			return a, configError("--admins: %w", err)
		}
	}
	if f.tokens != "" {
		if a.Tokens, err = serve.ReadTokens(f.tokens); err != nil {
			return a, configError("--tokens: %w", err)
		}
	}
	if f.tlsCert == "" {
		return a, nil
	}
	pair, err := tls.LoadX509KeyPair(f.tlsCert, f.tlsKey)
	if err != nil {
		return a, configError("--tls-cert: %w", err)
	}
	a.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if f.clientCA != "" {
		if a.TLS.ClientCAs, err = api.ReadCertificates(f.clientCA); err != nil {
			return a, configError("--client-ca: %w", err)
		}
		a.TLS.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return a, nil
}

// loopback reports whether an address is this machine's alone.
func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
