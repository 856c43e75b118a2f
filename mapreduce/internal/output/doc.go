// Package output stores what the attempts of a job write and commits one attempt per task.
//
// A [Destination] names a place; the [Store] behind it creates, commits and removes files there.
// The [Committer] of a plan turns attempts into parts: an attempt writes its part as a temporary
// file, committing the first attempt of a task makes it the task's part, and _SUCCESS completes the
// job.
//
// There are three stores: a local directory (localstore.go has its states), a directory in a
// store of package stores or a dfs (dirstore.go), and memory (bufferedparts.go).
//
// Reading order: destination.go, commit.go, localstore.go, localpublish.go, dirstore.go; then
// special cases: localresume.go (killed runs), shared.go (several processes), routes.go (a file for
// each name), partfile.go (parts in a user's own format), metered.go.
package output
