package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/play/site"
	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling/access"
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

func serveCommand(c *command) {
	c.Use, c.Short = "serve", "Run a cluster that accepts jobs from several users over HTTP"
	c.Long = `Run a cluster that accepts jobs from several users over HTTP, until it is interrupted. Its clients
are tarry submit, job, node, policy and fs. /scheduler shows pools and jobs in a browser, /api/v1 is
for programs, /metrics for Prometheus. See docs/server.md.

  tarry serve --racks 4 --nodes 40 --allocations fair-scheduler.xml --state serve.state
  tarry serve --scheduler capacity --queues capacity-scheduler.xml --listen 127.0.0.1:9000

By default only this machine can reach the server, and it trusts the user names of its callers. To
serve other machines it needs --tokens, a file with a line "TOKEN USER GROUP,GROUP" for each caller,
or --client-ca. Then users and groups come from the token, or from the certificate's common name and
organizations.

Jobs read and write below --root, or in the block store as dfs:NAME. Without --root they use the
working directory; if callers are authenticated, only the block store. With --state DIR jobs and
stored files survive the process, however it ends; the next process continues them.

The server applies changed configuration files of the scheduler and of --tokens after 5 to 15
seconds, and at once on SIGHUP. While a file has errors, the old settings stay.`
	f := new(serveFlags)
	c.RunE = func(*cobra.Command, []string) error { return f.serve(c) }
	s := c.Flags()
	s.StringVar(&f.listen, "listen", serve.DefaultListen, "listen at this `ADDRESS`; port 0 takes any free port")
	s.StringSliceVar(&f.hosts, "host", nil, "accept requests for these host names, too")
	s.StringArrayVar(&f.roots, "root", nil, "let jobs read and write below `DIR`; may be repeated (default: the working directory; with --tokens or --client-ca none)")
	s.StringVar(&f.access.Tokens, "tokens", "", "accept the callers in `FILE`: lines of token, user and groups")
	s.StringVar(&f.admins, "admins", "", "let these users and groups do everything: users, a space, groups, such as \"ann operators\"")
	s.StringVar(&f.access.Cert, "tls-cert", "", "serve https with the certificate in `FILE` (PEM)")
	s.StringVar(&f.access.Key, "tls-key", "", "read the key of the certificate from `FILE` (PEM)")
	s.StringVar(&f.access.ClientCA, "client-ca", "", "accept only clients with a certificate signed by one in `FILE` (PEM)")
	number(s, &f.store, "store-size", 0, span(1, 1<<44),
		"limit the block store, including outputs of jobs, to this size (default: half of the memory; with --state unlimited)")
	f.clusterFlags.register(c.Command)
	f.registerFiles(c.Command)
	c.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	needs(c.Command, "tls-cert", "client-ca")
	_ = c.MarkFlagDirname("root") // an error: no such flag
}

// serve runs the server until it is interrupted.
func (f *serveFlags) serve(c *command) (err error) {
	if len(f.roots) == 0 && f.access.Tokens == "" && f.access.ClientCA == "" {
		f.roots = []string{"."} // the only user is the caller of this command
	}
	f.lists = true
	if err := f.check(c); err != nil {
		return err
	}
	cfg, err := f.serveConfig(c)
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
	err = serve.Run(c.Context(), cfg, func(s *serve.Server, url string) {
		c.onHangup(s.Reload)
		c.tellServing(f, s, url)
	})
	return invalid(err) // errors at the start are errors of configuration
}

// reread returns the scheduler's settings from its files as they are now, and keeps f unchanged.
func (f *serveFlags) reread() (c serve.Configuration, err error) {
	again := f.clusterFlags
	if err := again.read(); err != nil {
		return c, err
	}
	for _, w := range again.files.Warnings {
		c.Warnings = append(c.Warnings, w.Error())
	}
	c.Policy, err = again.livePolicy()
	c.Rules, c.Files = again.files.Rules, again.files.Names
	return c, err
}

// tellServing prints the address of the server and warns of missing protections.
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
	rules := f.files.Rules
	if rules != nil && rules.Access.Enabled && f.access.Tokens == "" && f.access.ClientCA == "" {
		say("warning: access lists are on, but callers need not show who they are (--tokens, --client-ca)")
	}
	if f.access.Tokens != "" && f.access.Cert == "" && !loopback(f.listen) {
		say("warning: tokens travel unencrypted to other machines without --tls-cert")
	}
}

// serveConfig returns the server's configuration from the flags and the files of its callers.
func (f *serveFlags) serveConfig(c *command) (cfg serve.Config, err error) {
	cfg = serve.Config{
		Jobs: libraryJobs(), Listen: f.listen, Hosts: f.hosts, Roots: f.roots,
		Secrets: f.access.Names(), State: f.stateDir, StoreBytes: int64(f.store), Version: readVersion(),
		Files: f.files.Names, Reread: f.reread,
	}
	if f.store == 0 && f.stateDir == "" {
		cfg.StoreBytes = f.memoryBudget() // as without --state the files are temporary
	}
	if dir, err := site.Module(); err == nil {
		cfg.Simulator = sync.OnceValues(func() (map[string][]byte, error) { return site.Simulator(dir) })
	}
	if cfg.Cluster, err = f.config(c.Command); err != nil {
		return cfg, err
	}
	log := func(least slog.Level) *slog.Logger {
		return slog.New(slog.NewTextHandler(c.stderr, &slog.HandlerOptions{Level: least}))
	}
	cfg.Log, cfg.Cluster.Logger = log(slog.LevelInfo), log(slog.LevelWarn)
	if f.quiet {
		cfg.Log, cfg.Cluster.Logger = log(slog.LevelError), log(slog.LevelError)
	}
	if cfg.Access, err = f.access.Read(); err != nil {
		return cfg, configError("%w", err)
	}
	if f.admins != "" {
		if cfg.Access.Admins, err = access.ParseList(f.admins); err != nil {
			return cfg, configError("--admins: %w", err)
		}
	}
	return cfg, nil
}

// loopback reports whether only this machine can reach an address.
func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// libraryJobs returns the jobs of `tarry run`, which a server offers to its clients. Each accepts
// the flags of `tarry run JOB` about the job itself.
func libraryJobs() (list []serve.Job) {
	for _, job := range jobCommands(new(program), nil, nil) {
		list = append(list, serve.Job{Name: job.Name(), Summary: job.Short, Parse: func(args []string) (serve.Order, error) {
			return parseOrder(job.Name(), args)
		}})
	}
	return list
}

// parseOrder parses the arguments of a submitted job. The order says what the server must run.
func parseOrder(job string, args []string) (serve.Order, error) {
	var j jobFlags
	var called *jobCommand
	run := &cobra.Command{
		Use: "run", SilenceErrors: true, SilenceUsage: true,
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "tarry run"},
	}
	run.CompletionOptions.DisableDefaultCmd = true
	run.SetOut(io.Discard)
	run.SetErr(io.Discard)
	run.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, err, "") })
	for _, c := range jobCommands(new(program), &j.Order, func(c *jobCommand) error { called = c; return nil }) {
		run.AddCommand(c.Command)
	}
	j.register(run)
	run.SetArgs(append([]string{job}, args...))
	switch err := run.ExecuteContext(context.Background()); {
	case err != nil:
		return j.Order, err
	case called == nil: // help
		return j.Order, usageError("%s --help is no job", job)
	case j.Output == stdoutName:
		return j.Order, usageError("where to? %s DIR: the jobs of servers write to directories", outputFlag(called.Command))
	}
	err := j.check()
	return j.Order, err
}
