package serve

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"regexp"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
)

// Config describes a server.
type Config struct {
	// Cluster is the cluster that it runs. Events is called, too; State is taken from the field
	// below and must be nil here.
	Cluster actors.Config

	// Jobs are the kinds of job that clients may submit; names differ.
	Jobs []Job

	// Listen is the address to listen at; empty means 127.0.0.1:8088, port 0 any free one. An
	// address that is not the machine's own alone (loopback) needs Access.Tokens, or Access.TLS
	// with certificates of clients.
	Listen string

	// Hosts are further names under which clients reach the server, with or without a port, besides
	// those of this machine and Listen. A request for another host is refused.
	Hosts []string

	// Roots are the directories of this machine below which jobs may read and write; none means
	// only the block store.
	Roots []string

	// Secrets are files that no job reads or writes, although they may be below a root and by whatever
	// link: of tokens, certificates and keys. What State holds is never read or written either.
	Secrets []string

	// State, if not empty, is a directory that remembers jobs and files, so that another process
	// goes on with them: see docs/server.md. It must be this server's alone.
	State string

	// StoreBytes bounds what the files of the block store hold together, of those that are put and of
	// jobs' outputs: a put that would be more is refused, and a job fails. 0 is no bound.
	StoreBytes int64

	// Access says who may call, and do what; the zero value lets everybody who reaches the server.
	Access Access

	// Reload, if not nil, reads configuration files again, on a client's request, and says what
	// came of it; Reloads is asked for what came of the last time, whatever the cause.
	Reload  func() (api.Reload, error)
	Reloads func() api.Reload

	// Profiling serves net/http/pprof below /debug/pprof/, to administrators.
	Profiling bool

	// History is how many jobs that ended are remembered; 0 means 1000.
	History int

	// Version of the program, to be shown.
	Version string

	// Log hears of requests that fail by a fault of the server, refused logins, and jobs that go on
	// after a restart; nil discards.
	Log *slog.Logger

	limits limits
}

// limits bound what clients may ask of a server.
type limits struct {
	connections int           // at once
	perAddress  int           // connections at once from one address
	watchers    int           // streams of events at once
	unfinished  int           // jobs that have not ended
	body        int64         // bytes of a JSON body
	upload      int64         // bytes of a file
	header      time.Duration // until the header of a request is there
	idle        time.Duration // without a byte of a body, or of an answer taken
	grace       time.Duration // for running attempts when the server is closed
	ring        int           // events that are kept for those who come late
}

// standard are the limits of a server; tests have others.
func (l limits) standard() limits {
	return limits{
		connections: cmp.Or(l.connections, 2000),
		perAddress:  cmp.Or(l.perAddress, 500),
		watchers:    cmp.Or(l.watchers, 500),
		unfinished:  cmp.Or(l.unfinished, 100_000),
		body:        cmp.Or(l.body, 1<<20),
		upload:      cmp.Or(l.upload, 4<<30),
		header:      cmp.Or(l.header, 5*time.Second),
		idle:        cmp.Or(l.idle, 20*time.Second),
		grace:       cmp.Or(l.grace, 2*time.Second),
		ring:        cmp.Or(l.ring, 1<<16),
	}
}

// DefaultListen is where a server listens unless it is told otherwise.
const DefaultListen = "127.0.0.1:8088"

// withDefaults fills in what was left zero.
func (c Config) withDefaults() Config {
	c.Listen = cmp.Or(c.Listen, DefaultListen)
	c.History = cmp.Or(c.History, 1000)
	c.limits = c.limits.standard()
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

var jobName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`) })

// Validate returns everything that is wrong with the configuration, joined.
func (c Config) Validate() error {
	errs := []error{c.Cluster.Validate(), c.checkListen()}
	if c.Cluster.State != nil {
		errs = append(errs, errors.New("serve: Cluster.State is set; want State"))
	}
	names := map[string]bool{}
	for _, j := range c.Jobs {
		switch {
		case !jobName().MatchString(j.Name):
			errs = append(errs, fmt.Errorf("serve: job %q: want 1 to 64 letters, digits, - or _", j.Name))
		case j.Parse == nil:
			errs = append(errs, fmt.Errorf("serve: job %s has no Parse", j.Name))
		case names[j.Name]:
			errs = append(errs, fmt.Errorf("serve: job %s is there twice", j.Name))
		}
		names[j.Name] = true
	}
	return errors.Join(errs...)
}

// checkListen refuses to serve other machines without knowing who calls.
func (c Config) checkListen() error {
	listen := cmp.Or(c.Listen, DefaultListen)
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("serve: listen address %q: want HOST:PORT", listen)
	}
	if isLoopback(host) || c.Access.knowsUsers() {
		return nil
	}
	return fmt.Errorf("serve: listening at %s, other machines reach it: want tokens, or certificates of clients", listen)
}

// isLoopback tells whether only this machine reaches an address.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
