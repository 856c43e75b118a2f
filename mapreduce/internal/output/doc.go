// Package output stores what the attempts of a job write and commits one attempt per task.
//
// A [Destination] names a place; the [Store] behind it creates, renames and removes the files
// there. The [Committer] of a plan turns attempts into parts: an attempt writes its part as a
// temporary file, committing the first attempt of a task makes its part visible, and _SUCCESS
// completes the job. localresume.go decides what survives a killed process and who may continue it;
// sharedstore.go lets several processes share an output.
//
// Reading order: destination.go, commit.go, localdir.go, localstore.go, localcommit.go; then
// special cases: routes.go (a file for each name), partfile.go (parts in a user's own format),
// bufferedparts.go (a writer, memory), remotestore.go (remote stores), locallate.go,
// localresume.go, metered.go.
package output
