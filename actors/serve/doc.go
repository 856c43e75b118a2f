// Package serve runs a long-lived cluster that accepts jobs from several users over HTTP.
//
//	err := serve.Run(ctx, serve.Config{
//		Cluster: actors.Config{Nodes: 4, Racks: 2},
//		Roots:   []string{"."},
//		Jobs:    []serve.Job{serve.Simple("longest", "Find the longest lines", bind)},
//	}, func(s *serve.Server, url string) { fmt.Println(url) })
//
// Clients, such as `tarry submit` and `tarry job`, send and receive the JSON of /api/v1; package
// api and openapi.yaml describe it. /scheduler shows pools and jobs under the path of Hadoop's
// page, and /metrics is for Prometheus. The server passes requests to package actors, which runs,
// moves and kills jobs; no scheduling logic is duplicated here.
//
// By default a server believes the user that a submission names, so it listens on this machine
// only, unless callers are authenticated (Access). Jobs read and write below Config.Roots and in
// the cluster's block store. With Config.State, jobs and stored files survive the process.
//
// The package knows neither flags, nor configuration files, nor the job library: the program passes
// what it needs in Config.
//
// Reading order: config.go, job.go, server.go, submit.go, run.go, jobs.go, ledger.go, record.go;
// then routes.go, guard.go, access.go, calls.go; events.go and stream.go; roots.go and store.go.
package serve
