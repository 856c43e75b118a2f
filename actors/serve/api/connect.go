package api

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// Connection is the address of a server and the names of the files that authenticate it and the
// caller; an empty name means none.
type Connection struct {
	Server    string // its address, such as http://127.0.0.1:8088 or 127.0.0.1:8088
	TokenFile string // its first word is the token: a line of a server's file of tokens will do
	CA        string // PEM: the CA of the server's certificate; empty: those that this machine trusts
	Cert, Key string // PEM: the certificate of the caller, and its key
}

// ErrAddress is wrapped by the error of an address that is none.
var ErrAddress = errors.New("want an address such as http://127.0.0.1:8088")

// Client reads the files and returns a client. It calls nothing yet.
func (c Connection) Client() (*Client, error) {
	base := c.Server
	if !strings.Contains(base, "://") {
		base = "http://" + base
	}
	at, err := url.Parse(base)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || strings.Trim(at.Path, "/") != "" {
		return nil, fmt.Errorf("server %q: %w", c.Server, ErrAddress)
	}
	client := &Client{Base: base}
	if c.TokenFile != "" {
		text, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("token: %w", err)
		}
		words := strings.Fields(string(text))
		if len(words) == 0 {
			return nil, fmt.Errorf("token: %s is empty", c.TokenFile)
		}
		client.Token = words[0]
	}
	if c.CA == "" && c.Cert == "" {
		return client, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CA != "" {
		if cfg.RootCAs, err = ReadCertificates(c.CA); err != nil {
			return nil, err
		}
	}
	if c.Cert != "" {
		pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, fmt.Errorf("certificate: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = cfg
	client.HTTP = &http.Client{Transport: transport}
	return client, nil
}

// ReadCertificates reads the certificates of a file (PEM), at least one.
func ReadCertificates(name string) (*x509.CertPool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("certificates: none in %s", name)
	}
	return pool, nil
}
