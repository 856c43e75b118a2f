// Package output keeps what the attempts of a job write until their tasks are committed, each once.
//
// A [Destination] names a place; a store behind it makes, renames and removes the files there. The
// [Committer] of a plan turns attempts into parts: an attempt writes its part among temporary files,
// the first attempt of a task that is committed has its part made visible, and _SUCCESS ends the
// job. What outlives a killed process, and who may take it over, is the business of localresume.go;
// processes that share an output meet in meeting.go.
//
// Reading order: destination.go, commit.go, localdir.go, localstore.go, localcommit.go; then what is
// special: routes.go (a file for each name), partfile.go (parts in a form of the user's own),
// heldparts.go (a writer, memory), remotestore.go (stores elsewhere), locallate.go, localresume.go,
// metered.go.
package output
