package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/play/site"
	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// serveFlags are the flags of `tarry serve`.
type serveFlags struct {
	clusterFlags

	listen       string
	hosts, roots []string
	access       serve.AccessFiles
	admins       string
	store        numbers.Bytes
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
	s.StringVar(&f.access.Tokens, "tokens", "", "file with who may call: a line each with token, user and groups")
	s.StringVar(&f.admins, "admins", "", "who may do everything: users, a space, groups, such as \"ann operators\"")
	s.StringVar(&f.access.Cert, "tls-cert", "", "file (PEM) with the server's certificate: serve https")
	s.StringVar(&f.access.Key, "tls-key", "", "file (PEM) with its key")
	s.StringVar(&f.access.ClientCA, "client-ca", "", "file (PEM) with who signs certificates of clients, which they must show")
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
	if len(f.roots) == 0 && f.access.Tokens == "" && f.access.ClientCA == "" {
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
	err = serve.Run(cmd.Context(), cfg, func(s *serve.Server, url string) {
		onHangup(cmd.Context(), s.Reload)
		p.tellServing(f, s, url)
	})
	if err != nil { // what keeps a server from beginning is configuration
		return configError("%w", err)
	}
	return nil
}

// reread is what the configuration files say now.
func (f *serveFlags) reread() (c serve.Configuration, err error) {
	again := f.clusterFlags
	if err := again.read(); err != nil {
		return c, err
	}
	for _, w := range again.files.Warnings {
		c.Warnings = append(c.Warnings, w.Error())
	}
	c.Policy, err = again.livePolicy()
	c.Rules, c.Files = again.files.Rules(), again.files.Names
	return c, err
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
	if rules != nil && rules.Access.Enabled && f.access.Tokens == "" && f.access.ClientCA == "" {
		say("warning: access lists are on, but callers need not show who they are (--tokens, --client-ca)")
	}
	if f.access.Tokens != "" && f.access.Cert == "" && !loopback(f.listen) {
		say("warning: tokens travel unencrypted to other machines without --tls-cert")
	}
}

// serveConfig is what the flags say of the server.
func (f *serveFlags) serveConfig(cmd *cobra.Command, p *program) (cfg serve.Config, err error) {
	version, _ := readVersion()
	cfg = serve.Config{
		Jobs: libraryJobs(), Listen: f.listen, Hosts: f.hosts, Roots: f.roots,
		Secrets: f.access.Names(), State: f.stateDir, StoreBytes: int64(f.store), Version: version,
		Files: f.files.Names, Reread: f.reread,
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
	if cfg.Access, err = f.access.Read(); err != nil {
		return cfg, configError("%w", err)
	}
	if f.admins != "" {
		if cfg.Access.Admins, err = allocation.ParseList(f.admins); err != nil {
			return cfg, configError("--admins: %w", err)
		}
	}
	return cfg, nil
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
