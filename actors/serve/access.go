package serve

import (
	"cmp"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// Access determines who may call a server and what they may do.
//
// With Tokens, or TLS that requires client certificates, a caller is the user that the token or
// certificate names; calls without one are rejected. Otherwise the server believes the user that
// a submission names.
//
// The cluster's access lists (actors.Config.Rules), if enabled, decide who may submit to a pool or
// queue and administer the jobs of others there. A job's owner and administrators may always
// administer it; if callers are authenticated and access lists are off, nobody else may. Only
// administrators may change nodes, the policy and files of others if callers are authenticated or
// access lists are on.
type Access struct {
	Tokens *Tokens
	// TLS, if not nil, secures the connections. If it requires and verifies client certificates
	// (tls.RequireAndVerifyClientCert), the common name is the user and each organization is a
	// group.
	TLS *tls.Config
	// Admins may do everything, as may the administrators of the access lists.
	Admins access.List
}

// certificates reports whether callers authenticate with certificates.
func (a *Access) certificates() bool {
	return a.TLS != nil && a.TLS.ClientAuth == tls.RequireAndVerifyClientCert
}

// knowsUsers reports whether callers are authenticated.
func (a *Access) knowsUsers() bool { return a.Tokens != nil || a.certificates() }

// AccessFiles names the files of an Access; an empty name means none.
type AccessFiles struct {
	Tokens    string // see Tokens; the server reads it again when it changes
	Cert, Key string // PEM: the server's certificate and its key
	ClientCA  string // PEM: the CA that must have signed the certificates of clients; empty: they need none
}

// Names returns the names of the files, which no job should read (Config.Secrets).
func (f AccessFiles) Names() []string {
	return slices.DeleteFunc([]string{f.Tokens, f.Cert, f.Key, f.ClientCA}, func(name string) bool { return name == "" })
}

// Read reads the files and returns the Access that they describe.
func (f AccessFiles) Read() (a Access, err error) {
	if f.Tokens != "" {
		a.Tokens = &Tokens{file: f.Tokens}
		if err := a.Tokens.read(); err != nil {
			return a, fmt.Errorf("tokens: %w", err)
		}
	}
	if f.Cert == "" {
		return a, nil
	}
	pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return a, fmt.Errorf("certificate: %w", err)
	}
	a.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if f.ClientCA != "" {
		if a.TLS.ClientCAs, err = api.ReadCertificates(f.ClientCA); err != nil {
			return a, err
		}
		a.TLS.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return a, nil
}

// Tokens are secrets that authenticate callers. Their file has one per line: the token, the user
// and optionally groups separated by commas, with white space between them. Lines that begin with #
// are comments. A token has at least 16 printable characters. Error messages never show a token.
// The methods are safe for concurrent use.
type Tokens struct {
	file  string // that they were read from; empty in tests
	users atomic.Pointer[users]
}

// users maps the SHA-256 sum of each token to its user. Lookups by sum leak no timing information
// about the token.
type users map[[sha256.Size]byte]access.Principal

// minToken is the minimum length of a token in bytes.
const minToken = 16

// read reads the file, which only its owner may read. After an error the tokens are as before.
func (t *Tokens) read() error {
	text, err := os.ReadFile(t.file)
	info, bad := os.Stat(t.file)
	switch err = cmp.Or(err, bad); {
	case err != nil:
		return fileError(t.file, err)
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows": // where a mode does not tell
		return fmt.Errorf("%s: others may read it (chmod 600)", t.file)
	}
	return t.parse(t.file, string(text))
}

// parse replaces all tokens at once. From then on callers with a removed token are rejected, and
// their event streams end within keepAlive.
func (t *Tokens) parse(name, text string) error {
	list := users{}
	for i, line := range strings.Split(text, "\n") {
		n, words := i+1, strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 2 && len(words) != 3 {
			return fmt.Errorf("%s:%d: want TOKEN USER, or TOKEN USER GROUP,GROUP", name, n)
		}
		if len(words[0]) < minToken {
			return fmt.Errorf("%s:%d: a token of %d characters; want %d or more", name, n, len(words[0]), minToken)
		}
		who := access.Principal{User: words[1]}
		if len(words) == 3 {
			who.Groups = strings.Split(words[2], ",")
		}
		sum := sha256.Sum256([]byte(words[0]))
		if _, twice := list[sum]; twice {
			return fmt.Errorf("%s:%d: the token is there already", name, n)
		}
		list[sum] = who
	}
	if len(list) == 0 {
		return fmt.Errorf("%s: no token in it", name)
	}
	t.users.Store(&list)
	return nil
}

// caller is the user who makes a request.
type caller struct {
	access.Principal
	known bool // authenticated by a token or certificate
}

// authenticate returns the caller of a request; nobody, if callers are not authenticated. Browsers
// send the token as a password.
func (a *Access) authenticate(r *http.Request) (caller, error) {
	if a.certificates() && r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		subject := r.TLS.VerifiedChains[0][0].Subject
		if subject.CommonName == "" {
			return caller{}, refuse("denied", "the certificate names no user")
		}
		return caller{access.Principal{User: subject.CommonName, Groups: subject.Organization}, true}, nil
	}
	if a.Tokens == nil {
		return caller{}, nil
	}
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found {
		_, token, found = r.BasicAuth()
	}
	if !found {
		return caller{}, refuse("unauthorized", "who calls? want a token")
	}
	who, ok := (*a.Tokens.users.Load())[sha256.Sum256([]byte(token))]
	if !ok {
		return caller{}, refuse("unauthorized", "the token is not known")
	}
	return caller{who, true}, nil
}

// submitter returns the owner of a job that the caller submits in the name of user.
func (s *Server) submitter(c caller, user string) (access.Principal, error) {
	switch {
	case !c.known:
		return access.Principal{User: user}, nil
	case user == "" || user == c.User:
		return c.Principal, nil
	case s.isAdmin(c):
		return access.Principal{User: user}, nil
	}
	return c.Principal, refuse("denied", "user %s may not submit as %s", c.User, user)
}

// lists returns the cluster's access lists, or nil if they are off.
func (s *Server) lists() *access.Control {
	if rules := s.cluster.Rules(); rules != nil && rules.Access.Enabled {
		return &rules.Access
	}
	return nil
}

// isAdmin reports whether the caller is an administrator.
func (s *Server) isAdmin(c caller) bool {
	lists := s.lists()
	return s.cfg.Access.Admins.Admits(c.Principal) || lists != nil && lists.Admins.Admits(c.Principal)
}

// mayManage returns an error unless the caller may change nodes and the policy. If nothing
// identifies or restricts callers, everybody may.
func (s *Server) mayManage(c caller, what string) error {
	if !s.cfg.Access.knowsUsers() && s.lists() == nil || s.isAdmin(c) {
		return nil
	}
	return refuse("denied", "user %s may not %s: that is for administrators", c.name(), what)
}

// mayAdminister returns an error unless the caller may change a job of owner in a pool.
func (s *Server) mayAdminister(c caller, owner, pool string) error {
	lists := s.lists()
	switch {
	case s.isAdmin(c) || c.User == owner && c.User != "":
		return nil
	case lists != nil:
		return lists.MayAdminister(pool, owner, c.named())
	case s.cfg.Access.knowsUsers():
		return refuse("denied", "user %s may not change a job of %s", c.name(), owner)
	}
	return nil
}

// name returns the user, or anonymous.
func (c caller) name() string { return cmp.Or(c.User, anonymous) }

// named returns the caller under that name, for the access lists.
func (c caller) named() access.Principal { return access.Principal{User: c.name(), Groups: c.Groups} }

// anonymous is the user of callers who name none.
const anonymous = "anonymous"
