package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"

	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// libraryJobs are the jobs of `tarry run`, for a server to take: their arguments are those behind
// `tarry run JOB`.
func libraryJobs() (list []serve.Job) {
	for _, job := range jobCommands(new(program), nil) {
		list = append(list, serve.Job{Name: job.Name(), Summary: job.Short, Parse: func(args []string) (serve.Order, error) {
			return parseOrder(new(batchJob), job.Name(), args)
		}})
	}
	return list
}

// parseOrder makes a server's order of the words behind `tarry run`.
func parseOrder(j *batchJob, job string, args []string) (o serve.Order, err error) {
	if err := j.parse(append([]string{job}, args...)); err != nil {
		return o, err
	}
	packed, err := mapreduce.ParseCompression(j.compress)
	if err != nil {
		return o, usageError("--compress: %w", err)
	}
	o = serve.Order{
		Inputs: j.inputs, Output: j.output, Overwrite: j.overwrite, Compress: packed, Reduces: j.reduces,
		MaxSkips: j.maxSkips, User: j.user, Pool: j.pool, Queue: j.queue,
	}
	o.Priority, err = scheduling.ParsePriority(j.priority)
	for _, s := range j.stages {
		o.Stages = append(o.Stages, func(
			ctx context.Context, run serve.Runner, src []mapreduce.Source, to mapreduce.Destination,
		) (*mapreduce.Plan, error) {
			return s.plan(ctx, jobs.Runner(run), src, to)
		})
	}
	return o, err
}

// access is who may call the server.
func (f *serveFlags) access() (a serve.Access, err error) {
	if f.admins != "" {
		if a.Admins, err = allocation.ParseList(f.admins); err != nil {
			return a, configError("--admins: %w", err)
		}
	}
	if f.tokens != "" {
		if a.Tokens, err = f.readTokens(true); err != nil {
			return a, configError("--tokens: %w", err)
		}
	}
	if f.tlsCert == "" {
		return a, nil
	}
	pair, err := tls.LoadX509KeyPair(f.tlsCert, f.tlsKey)
	if err != nil {
		return a, configError("--tls-cert: %w", err)
	}
	a.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if f.clientCA != "" {
		if a.TLS.ClientCAs, err = readPool(f.clientCA); err != nil {
			return a, configError("--client-ca: %w", err)
		}
		a.TLS.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return a, nil
}

// readPool reads certificates.
func readPool(name string) (*x509.CertPool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, plainPathError(name, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, configError("%s: no certificate in it", name)
	}
	return pool, nil
}

// loopback tells whether an address is this machine's alone.
func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
