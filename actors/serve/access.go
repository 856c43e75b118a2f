package serve

import (
	"bufio"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// Access says who may call a server, and do what.
//
// With Tokens, or TLS with certificates of clients, callers are who their token or certificate
// says, and calls without are refused. Without, whoever reaches the server is believed to be who
// they say.
//
// Who may submit where, and administer the jobs of others in a pool or queue, the access lists of
// the cluster say (actors.Config.Rules), if they are on. A job's owner and administrators may
// always administer it; where callers are known and lists are off, nobody else may. Nodes, the
// policy and files of others are for administrators, if callers are known or lists are on.
type Access struct {
	Tokens *Tokens
	// TLS, if not nil, is what connections are secured with. If it asks for certificates of clients
	// and verifies them (tls.RequireAndVerifyClientCert), the common name is the user and each
	// organization a group.
	TLS *tls.Config
	// Admins may do everything, besides those of the access lists.
	Admins allocation.List
}

// certificates tells whether callers show certificates.
func (a *Access) certificates() bool {
	return a.TLS != nil && a.TLS.ClientAuth == tls.RequireAndVerifyClientCert
}

// knowsUsers tells whether callers show who they are.
func (a *Access) knowsUsers() bool { return a.Tokens != nil || a.certificates() }

// Tokens are secrets that tell who calls. Its methods are safe for concurrent use.
type Tokens struct {
	users atomic.Pointer[users]
}

// users are those whom tokens tell, by the sums of these, so that looking up tells nothing of the secret.
type users map[[sha256.Size]byte]allocation.Principal

// Replace puts other tokens in the place of these, all at once: who shows one that is gone is
// refused from now on, and their streams of events end within keepAlive.
func (t *Tokens) Replace(other *Tokens) { t.users.Store(other.users.Load()) }

// user is whom a token tells.
func (t *Tokens) user(token string) (allocation.Principal, bool) {
	who, ok := (*t.users.Load())[sha256.Sum256([]byte(token))]
	return who, ok
}

// leastToken is how many bytes a token has at least.
const leastToken = 16

// ParseTokens reads tokens: a line each with the token, the user and, if there are any, groups with
// commas between; white space is between them, # at the beginning of a line makes it a comment. A
// token has 16 printable characters or more. name is used in messages, which never show a token.
func ParseTokens(name string, r io.Reader) (*Tokens, error) {
	list := users{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 2 && len(words) != 3 {
			return nil, fmt.Errorf("%s:%d: want TOKEN USER, or TOKEN USER GROUP,GROUP", name, n)
		}
		if len(words[0]) < leastToken {
			return nil, fmt.Errorf("%s:%d: a token of %d characters; want %d or more", name, n, len(words[0]), leastToken)
		}
		who := allocation.Principal{User: words[1]}
		if len(words) == 3 {
			who.Groups = strings.Split(words[2], ",")
		}
		sum := sha256.Sum256([]byte(words[0]))
		if _, twice := list[sum]; twice {
			return nil, fmt.Errorf("%s:%d: the token is there already", name, n)
		}
		list[sum] = who
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no token in it", name)
	}
	t := new(Tokens)
	t.users.Store(&list)
	return t, nil
}

// caller is who makes a request.
type caller struct {
	allocation.Principal
	known bool // by a token or certificate; else the name is what they say
}

// authenticate finds out who calls. A browser gives the token as a password.
func (a *Access) authenticate(r *http.Request) (caller, error) {
	if a.certificates() && r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		subject := r.TLS.VerifiedChains[0][0].Subject
		if subject.CommonName == "" {
			return caller{}, deny("the certificate names no user")
		}
		return caller{allocation.Principal{User: subject.CommonName, Groups: subject.Organization}, true}, nil
	}
	if a.Tokens == nil {
		return caller{}, nil
	}
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found {
		_, token, found = r.BasicAuth()
	}
	if !found {
		return caller{}, &fault{http.StatusUnauthorized, "unauthorized", "who calls? want a token"}
	}
	who, ok := a.Tokens.user(token)
	if !ok {
		return caller{}, &fault{http.StatusUnauthorized, "unauthorized", "the token is not known"}
	}
	return caller{who, true}, nil
}

// submitter is whom a job belongs to that the caller submits in the name of user.
func (s *Server) submitter(c caller, user string) (allocation.Principal, error) {
	switch {
	case !c.known:
		return allocation.Principal{User: user}, nil
	case user == "" || user == c.User:
		return c.Principal, nil
	case s.isAdmin(c):
		return allocation.Principal{User: user}, nil
	}
	return c.Principal, deny("user %s may not submit as %s", c.User, user)
}

// asUser is a caller that says who they are, where nobody has to show it.
func asUser(c caller, r *http.Request) caller {
	if !c.known && c.User == "" {
		c.User = r.Header.Get("Tarry-User")
	}
	return c
}

// isAdmin tells whether the caller is an administrator.
func (s *Server) isAdmin(c caller) bool {
	if s.cfg.Access.Admins.Admits(c.Principal) {
		return true
	}
	rules := s.cluster.Rules()
	return rules != nil && rules.Access.Enabled && rules.Access.Admins.Admits(c.Principal)
}

// trusting reports whether everybody may do everything.
func (s *Server) trusting() bool {
	rules := s.cluster.Rules()
	return !s.cfg.Access.knowsUsers() && (rules == nil || !rules.Access.Enabled)
}

// mayManage is nil if the caller may change what is everybody's: nodes, the policy.
func (s *Server) mayManage(c caller, what string) error {
	if s.trusting() || s.isAdmin(c) {
		return nil
	}
	return deny("user %s may not %s: that is for administrators", c.name(), what)
}

// mayAdminister is nil if the caller may change a job of an owner in a pool.
func (s *Server) mayAdminister(c caller, owner string, pool func() string) error {
	rules := s.cluster.Rules()
	switch {
	case s.isAdmin(c) || c.User == owner && c.User != "":
		return nil
	case rules != nil && rules.Access.Enabled:
		return rules.Access.MayAdminister(pool(), owner, allocation.Principal{User: c.name(), Groups: c.Groups})
	case s.cfg.Access.knowsUsers():
		return deny("user %s may not change a job of %s", c.name(), owner)
	}
	return nil
}

// mover is on whose behalf a job is moved: who may submit to where it goes.
func (s *Server) mover(c caller) allocation.Principal {
	return allocation.Principal{User: c.name(), Groups: c.Groups}
}

// name is the user, also where it is not known.
func (c caller) name() string {
	if c.User == "" {
		return anonymous
	}
	return c.User
}

// anonymous is the user of those who name none.
const anonymous = "anonymous"

// options are those of a job's submission but for its key.
func (o *Order) options(who allocation.Principal) actors.SubmitOptions {
	return actors.SubmitOptions{
		User: who.User, Groups: who.Groups, Pool: o.Pool, Queue: o.Queue, Priority: o.Priority,
		Reduces: o.Reduces, MaxSkips: o.MaxSkips,
	}
}
