// Package serve is a cluster that stays up and takes jobs from several users over HTTP.
//
//	err := serve.Run(ctx, serve.Config{
//		Cluster: actors.Config{Nodes: 4, Racks: 2},
//		Roots:   []string{"."},
//		Jobs:    []serve.Job{serve.Simple("longest", "Find the longest lines", bind)},
//	}, func(s *serve.Server, url string) { fmt.Println(url) })
//
// Clients speak JSON with /api/v1, as package api and openapi.yaml say; `tarry submit`, `tarry job`
// and others do. /scheduler shows pools and jobs under the name that Hadoop's page has, /metrics is
// for Prometheus. What a client asks for is what package actors does: jobs are handed to the
// cluster, moved, killed and watched there, and nothing of the scheduler is written twice here.
//
// A server believes whoever reaches it, so it listens at this machine alone unless callers show who
// they are (Access). Jobs read and write below Config.Roots, and in the block store of the cluster.
// With Config.State jobs and stored files outlive the process.
//
// The package does not know flags, files of configuration, or the jobs of the library: a program
// hands these over in its Config.
//
// Reading order: config.go, job.go, server.go, submit.go, run.go, jobs.go, record.go; then
// routes.go, guard.go, access.go, calls.go; events.go and stream.go; roots.go and store.go.
package serve
