package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// serveFlags are the flags of `tarry serve`.
type serveFlags struct {
	clusterFlags

	listen   string
	hosts    []string
	roots    []string
	capacity string
	tokens   string
	read     string // what was read there last, or what was wrong with it
	admins   string
	tlsCert  string
	tlsKey   string
	clientCA string
	store    numbers.Bytes
	pprof    bool
	demo     bool
}

// newServe is the command `tarry serve`.
func newServe(p *program) *cobra.Command {
	f := new(serveFlags)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Keep a cluster up that takes jobs from several users over HTTP",
		Long: `Keep a cluster up that takes jobs from several users over HTTP, until it is interrupted. tarry
submit, job, node, policy and fs are its clients; /scheduler in a browser shows pools
and jobs, /api/v1 is for programs, /metrics for Prometheus.

  tarry serve --racks 4 --nodes 40 --allocations fair-scheduler.xml --state serve.state
  tarry serve --capacity capacity-scheduler.xml --listen 127.0.0.1:9000
  tarry serve --demo

Only this machine reaches it, and it believes who callers say they are. To serve other machines it
wants --tokens, a file with a line "TOKEN USER GROUP,GROUP" for each who may call, or --client-ca:
then users and groups come from the token, or from common name and organizations of the certificate.

Jobs read and write below --root, or in the block store as dfs:NAME. Without --root that is the
working directory; where callers show who they are it is the block store alone. No job reads or
writes the state or the files of tokens, certificates and keys. With --state DIR jobs and stored
files outlive the process, however it ends; the next one goes on with them.

Configuration files of the scheduler are taken up 5 to 15 seconds after a change, the file of
--tokens within 5, and all at once on SIGHUP; while they are wrong the old ones stay in force.`,
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
	number(s, &f.store, "store-size", f.store, span(1, 1<<44),
		"what the files of the block store may hold together, outputs of jobs among them (default: half of the memory; with --state no bound)")
	s.BoolVar(&f.pprof, "pprof", false, "serve profiles of the program below /debug/pprof/, to administrators")
	s.BoolVar(&f.demo, "demo", false,
		"show a small cluster at work: 4 racks, a mixed workload with skewed reduces, and maps that hardly wait")
	s.StringVar(&f.capacity, "capacity", "", "as --scheduler capacity --queues FILE")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but the address and errors")
	s.StringVar(&f.events, "events", "", "file for what the scheduler did, a JSON object a line; compressed if named .zst")
	f.registerCluster(cmd)
	excludes(cmd, "capacity", "queues scheduler")
	excludes(cmd, "demo", "tokens client-ca")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	needs(cmd, "tls-cert", "client-ca")
	_ = cmd.MarkFlagDirname("root") // an error: no such flag
	_ = cmd.RegisterFlagCompletionFunc("capacity", filesNamed("xml"))
}

// check refuses values that cannot work.
func (f *serveFlags) check(p *program, cmd *cobra.Command) error {
	if f.capacity != "" {
		f.queues, f.scheduler = f.capacity, "capacity"
	}
	if len(f.roots) == 0 && f.tokens == "" && f.clientCA == "" {
		f.roots = []string{"."} // of the one person whose server it is
	}
	if f.demo {
		f.demoDefaults(cmd)
	}
	return f.clusterFlags.check(p, cmd)
}

// serve runs the server until it is interrupted.
func (p *program) serve(cmd *cobra.Command, f *serveFlags) (err error) {
	if err := f.check(p, cmd); err != nil {
		return err
	}
	cfg, err := f.serveConfig(p)
	if err != nil {
		return err
	}
	rec, err := openRecord(f.events, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rec.close()) }()
	cfg.Cluster.Events = rec.sink()
	if f.chaos > 0 {
		cfg.Cluster.Chaos = &actors.Chaos{Seed: f.chaos}
	}
	if cfg.Cluster.Memory > 0 {
		defer cluster.LimitHeap(cfg.Cluster.Memory + besideBudget)()
	}
	demo, err := f.newDemo(&cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, demo.close()) }()
	r := p.newReloader(&f.clusterFlags)
	if r != nil {
		cfg.Reload, cfg.Reloads = func() (api.Reload, error) { return r.ask(cmd.Context()) }, r.outcome
	}
	stop := func() {}
	defer func() { stop() }()
	err = serve.Run(cmd.Context(), cfg, func(s *serve.Server, url string) {
		tokens := &tokenWatch{program: p, flags: f, tokens: cfg.Access.Tokens}
		stop = watchers(cmd.Context(), r.of(s.Cluster()).run, tokens.run)
		p.tellServing(f, s, url)
		demo.begin(cmd.Context(), url)
	})
	if err != nil { // what keeps a server from beginning is configuration
		return configError("%w", err)
	}
	return nil
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
	rules := f.files.rules()
	if rules != nil && rules.Access.Enabled && f.tokens == "" && f.clientCA == "" {
		say("warning: access lists are on, but callers need not show who they are (--tokens, --client-ca)")
	}
	if (f.tokens != "") && f.tlsCert == "" && !loopback(f.listen) {
		say("warning: tokens travel unencrypted to other machines without --tls-cert")
	}
}

// serveConfig is what the flags say of the server.
func (f *serveFlags) serveConfig(p *program) (cfg serve.Config, err error) {
	policy, err := f.livePolicy()
	if err != nil {
		return cfg, err
	}
	cfg = serve.Config{
		Cluster: f.config(policy), Jobs: libraryJobs(), Listen: f.listen, Hosts: f.hosts, Roots: f.roots,
		Secrets: slices.DeleteFunc([]string{f.tokens, f.tlsCert, f.tlsKey, f.clientCA}, func(name string) bool { return name == "" }),
		State:   f.stateDir, StoreBytes: f.storeBytes(), Profiling: f.pprof, Version: readVersion().Version,
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

// storeBytes is the bound on the block store; 0 is none.
func (f *serveFlags) storeBytes() int64 {
	if f.store == 0 && f.stateDir == "" {
		return f.memoryBudget() // files lie in memory
	}
	return int64(f.store)
}
