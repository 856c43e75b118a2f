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
)

// Config describes a server.
type Config struct {
	// Cluster configures the server's cluster. The server also calls its Events function. Its State
	// must be nil; use the field State below.
	Cluster actors.Config

	// Jobs are the kinds of job that clients may submit; their names must differ.
	Jobs []Job

	// Listen is the address to listen on; empty means 127.0.0.1:8088, and port 0 any free port. An
	// address that other machines can reach needs Access.Tokens, or Access.TLS that requires client
	// certificates.
	Listen string

	// Hosts are further host names of the server, with or without a port, besides those of this
	// machine and Listen. Requests for other hosts are rejected.
	Hosts []string

	// Roots are the directories of this machine in which jobs may read and write; without them jobs
	// can use only the block store.
	Roots []string

	// Secrets are files, such as tokens, certificates and keys, that no job may read or write, even
	// if they are below a root or reached through a link. The State directory is protected in the
	// same way.
	Secrets []string

	// State, if not empty, is a directory that records jobs and files, so that another process can
	// continue them; see docs/server.md. No other server may use it.
	State string

	// StoreBytes limits the total size of the files in the block store, from uploads and from
	// outputs of jobs. An upload beyond it is rejected, and a job fails. 0 means no limit.
	StoreBytes int64

	// Access determines who may call the server and what they may do. The zero value lets everybody
	// do everything.
	Access Access

	// Simulator, if not nil, returns the files of the simulator for browsers by name, among them
	// tarry.wasm.gz; see actors/play/site. Without it the page does not offer to run a wait again.
	Simulator func() (map[string][]byte, error)

	// Files are the configuration files that the cluster's policy and rules were read from. When
	// they have changed, or a client or Server.Reload asks for it, the server calls Reread, one
	// call at a time, and applies the result. Without Files Reread may be nil.
	Files  []string
	Reread func() (Configuration, error)

	// Version is the program's version, which clients show.
	Version string

	// Log gets requests that fail because of the server, rejected logins, and jobs that continue
	// after a restart; nil discards them.
	Log *slog.Logger

	limits limits // zero: standardLimits
}

// limits bound what clients may ask of a server.
type limits struct {
	connections int64         // open connections
	watchers    int           // open event streams
	unfinished  int           // jobs that have not ended
	history     int           // ended jobs that are remembered
	body        int64         // bytes of a JSON body
	upload      int64         // bytes of a file
	header      time.Duration // time until a request's header has arrived
	idle        time.Duration // time without a byte of a body received or of an answer accepted
	grace       time.Duration // time for running attempts to finish when the server closes
	ring        int           // events kept for late readers
}

// standardLimits are the limits of all servers but those of tests.
var standardLimits = limits{
	connections: 2000, watchers: 500, unfinished: 100_000, history: 1000, body: 1 << 20, upload: 4 << 30,
	header: 5 * time.Second, idle: 20 * time.Second, grace: 2 * time.Second, ring: 1 << 16,
}

// DefaultListen is the default of Config.Listen.
const DefaultListen = "127.0.0.1:8088"

// withDefaults replaces zero fields by their defaults.
func (c Config) withDefaults() Config {
	c.Listen = cmp.Or(c.Listen, DefaultListen)
	c.limits = cmp.Or(c.limits, standardLimits)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

var jobName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`) })

// Validate returns all mistakes in the configuration, joined.
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

// checkListen rejects an address that other machines can reach if callers are not authenticated.
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

// isLoopback reports whether only this machine can reach an address.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
