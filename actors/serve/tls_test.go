package serve

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// authority is a CA that signs the test's certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	a.cert, a.key = a.sign(pkix.Name{CommonName: "authority"}, nil)
	return a
}

// sign returns a certificate signed by `by`, or self-signed if that is nil.
func (a *authority) sign(name pkix.Name, by *authority) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: name, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: by == nil, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	signer, signerKey := c, key
	if by != nil {
		signer, signerKey = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, signer, &key.PublicKey, signerKey)
	require.NoError(a.t, err)
	c, err = x509.ParseCertificate(der)
	require.NoError(a.t, err)
	return c, key
}

// pair returns a certificate of user and groups that the authority has signed, with its key.
func (a *authority) pair(user string, groups ...string) tls.Certificate {
	a.t.Helper()
	c, key := a.sign(pkix.Name{CommonName: user, Organization: groups}, a)
	return tls.Certificate{Certificate: [][]byte{c.Raw}, PrivateKey: key}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// Client certificates identify users and groups. The server rejects clients without one, or with
// one of another CA.
func TestCertificates(t *testing.T) {
	ours, other := newAuthority(t), newAuthority(t)
	b, addr := served(t, func(cfg *Config) {
		cfg.Access = Access{Admins: list(t, " operators"), TLS: &tls.Config{
			Certificates: []tls.Certificate{ours.pair("server")}, ClientCAs: ours.pool(),
			ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12,
		}}
	})
	b.write("in.txt", "a\n")
	client := func(shown ...tls.Certificate) *api.Client {
		c := &api.Client{Base: "https://" + addr, HTTP: &http.Client{Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: ours.pool(), Certificates: shown, MinVersion: tls.VersionTLS12},
		}}}
		t.Cleanup(c.HTTP.CloseIdleConnections)
		return c
	}
	ann, root := client(ours.pair("ann", "research")), client(ours.pair("root", "operators"))
	j, err := ann.Submit(t.Context(), api.Submission{Job: "held", Args: []string{"in.txt", "-o", "out"}}, "")
	require.NoError(t, err)
	require.Equal(t, "ann", j.User)
	_, err = ann.Node(t.Context(), "node-00", "cordon")
	refused(t, err, "denied")
	_, err = root.Node(t.Context(), "node-00", "cordon")
	require.NoError(t, err)
	for _, c := range []*api.Client{client(), client(other.pair("root", "operators"))} {
		_, err := c.Jobs(t.Context(), "", "")
		require.ErrorContains(t, err, "tls")
	}
	plain := &api.Client{Base: "http://" + addr, HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	_, err = plain.Jobs(t.Context(), "", "")
	require.Error(t, err)
	_, err = root.Kill(t.Context(), j.ID, "")
	require.NoError(t, err)
}

// FuzzTokens reads arbitrary token files. The result is users that the server finds by their
// tokens, or an error that names a line and shows no token.
func FuzzTokens(f *testing.F) {
	f.Add(tokenFile)
	f.Add("x")
	f.Add("annsecretannsecret ann a,,b\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		tokens := new(Tokens)
		if err := tokens.parse("f", text); err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "f:"))
			return
		}
		known := 0
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			if len(words) < 2 || strings.HasPrefix(words[0], "#") {
				continue
			}
			known++
			r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil)
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer "+words[0])
			who, err := (&Access{Tokens: tokens}).authenticate(r)
			require.NoError(t, err)
			require.Equal(t, words[1], who.User)
		}
		require.Len(t, *tokens.users.Load(), known)
	})
}
