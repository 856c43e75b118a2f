// Package hdfs makes hdfs://HOST:PORT/DIR available for inputs and outputs of jobs in programs that
// import it:
//
//	import _ "github.com/tarry-mr/tarry/contrib/hdfs"
//
// If the name has no host (hdfs:///DIR), or that of a name service, Hadoop's configuration in
// HADOOP_CONF_DIR or HADOOP_HOME determines the servers. The default port is 8020. The user is
// HADOOP_USER_NAME, or the user of the process. If the configuration asks for Kerberos, the user is
// that of the ticket of kinit in KRB5CCNAME (FILE:PATH); delegation tokens, encryption zones and
// erasure-coded files are not supported.
//
// A part of an output is first written to local disk (os.TempDir) and sent when it is complete,
// with retries: data nodes drop clients that are silent for a minute. In HDFS it is in _temporary
// of its directory until its commit renames it.
package hdfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/colinmarc/hdfs/v2"
	"github.com/colinmarc/hdfs/v2/hadoopconf"
	"github.com/jcmturner/gokrb5/v8/client"

	"github.com/tarry-mr/tarry/dfs/stores"
)

func init() {
	stores.Register("hdfs", func(host string) (stores.Store, error) { return New(host, os.Getenv) })
}

const (
	usualPort = "8020"
	webPort   = "9870"
	// attempts is the maximum number of tries for operations that fail transiently.
	attempts = 3
	// patience is the time limit for connecting to a server, and answerTimeout that for its answer.
	patience      = 10 * time.Second
	answerTimeout = 60 * time.Second
)

// store is an HDFS file system.
type store struct {
	client *hdfs.Client
	root   string
	user   string
	ticket string // file of the Kerberos ticket, "" without Kerberos
	// kerberos has the ticket, nil without Kerberos.
	kerberos *client.Client
	web      string      // address of the name node's WebHDFS
	silent   atomic.Bool // WebHDFS did not answer
}

// New returns the store of a host. getenv returns an environment variable; New reads those that the
// package documentation names.
func New(host string, getenv func(string) string) (stores.Store, error) {
	conf, err := configuration(getenv)
	if err != nil {
		return nil, err
	}
	o := hdfs.ClientOptionsFromConf(conf)
	ticketFile := ""
	if o.KerberosClient != nil { // the configuration requires Kerberos
		if o.KerberosClient, err = ticket(getenv); err != nil {
			return nil, err
		}
		_, ticketFile = ticketPlace(getenv)
	}
	if err := address(&o, conf, host, getenv); err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(o.Addresses[0], ":")
	o.NamenodeDialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return timed{c}, nil
	}
	o.DatanodeDialFunc = (&net.Dialer{Timeout: patience}).DialContext
	c, err := hdfs.NewClient(o)
	if err != nil {
		return nil, plain(err)
	}
	root := "hdfs://" + o.User + "@" + strings.Join(o.Addresses, ",")
	return &store{client: c, root: root, user: o.User, ticket: ticketFile, kerberos: o.KerberosClient, web: webAddress(conf, name)}, nil
}

// Root implements stores.Rooted.
func (s *store) Root() string { return s.root }

// address stores a host's name nodes and user in o. host may be a result of Root: USER@HOSTS.
func address(o *hdfs.ClientOptions, conf hadoopconf.HadoopConf, host string, getenv func(string) string) error {
	as, at, ok := strings.Cut(host, "@")
	if ok {
		host = at
	}
	switch {
	case host != "" && conf["dfs.ha.namenodes."+host] == "":
		o.Addresses = strings.Split(host, ",")
		for i, a := range o.Addresses {
			if _, _, err := net.SplitHostPort(a); err != nil {
				o.Addresses[i] = net.JoinHostPort(a, usualPort)
			}
		}
	case len(o.Addresses) == 0:
		return errors.New("no host, and no configuration says which: set HADOOP_CONF_DIR, or want hdfs://HOST:PORT/NAME")
	}
	if o.User = getenv("HADOOP_USER_NAME"); ok {
		o.User = as
	}
	if o.User == "" {
		who, err := user.Current()
		if err != nil {
			return err
		}
		o.User = who.Username
	}
	return nil
}

// webAddress returns the address of WebHDFS.
func webAddress(conf hadoopconf.HadoopConf, host string) string {
	at := conf["dfs.namenode.http-address"]
	if name, port, err := net.SplitHostPort(at); err == nil {
		if name == "0.0.0.0" {
			name = host
		}
		return net.JoinHostPort(name, port)
	}
	return net.JoinHostPort(host, webPort)
}

// configuration returns Hadoop's configuration, or nil if there is none.
func configuration(getenv func(string) string) (hadoopconf.HadoopConf, error) {
	dirs := []string{getenv("HADOOP_CONF_DIR")}
	if home := getenv("HADOOP_HOME"); home != "" {
		dirs = append(dirs, filepath.Join(home, "etc", "hadoop"), filepath.Join(home, "conf"))
	}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		if conf, err := hadoopconf.Load(dir); conf != nil || err != nil {
			return conf, err
		}
	}
	return nil, nil
}

// timed is a connection whose reads fail after a time without an answer.
type timed struct{ net.Conn }

// Read implements net.Conn.
func (t timed) Read(p []byte) (int, error) {
	if err := t.SetReadDeadline(time.Now().Add(answerTimeout)); err != nil {
		return 0, err
	}
	return t.Conn.Read(p)
}

// dropped matches the client's error for a connection that the name node has closed.
var dropped = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^no available namenodes: .*(?:broken pipe|connection reset by peer|EOF)$`)
})

// plain returns a shorter error. Of a Java exception it keeps the first line, without stack trace.
func plain(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	var refused hdfs.Error
	if errors.As(err, &refused) {
		text, _, _ := strings.Cut(refused.Message(), "\n")
		name := refused.Exception()
		return fmt.Errorf("%s: %s", name[strings.LastIndexByte(name, '.')+1:], cmp.Or(text, refused.Desc()))
	}
	if dropped().MatchString(err.Error()) {
		return fmt.Errorf("%w (so does a name node that wants a Kerberos ticket; then HADOOP_CONF_DIR must ask for Kerberos)", err)
	}
	return err
}

// failed returns err as the error of operation op on the file of that name.
func failed(op, name string, err error) error {
	var refused hdfs.Error
	switch {
	case errors.As(err, &refused) && strings.HasSuffix(refused.Exception(), "FileNotFoundException"):
		err = fs.ErrNotExist
	default:
		err = plain(err)
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// final reports whether a retry cannot succeed after an error, as if a file does not exist.
func final(err error) bool {
	var refused hdfs.Error
	return errors.As(err, &refused) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, fs.ErrInvalid)
}

// again calls do until it succeeds, fails permanently, or has failed `attempts` times.
func again(do func() error) (err error) {
	wait := 200 * time.Millisecond
	for n := range attempts {
		if n > 0 {
			time.Sleep(wait)
			wait *= 5
		}
		if err = do(); err == nil || final(err) {
			return err
		}
	}
	return err
}
