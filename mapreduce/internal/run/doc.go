// Package run executes the attempts of a job: maps, reduces, and RunLocal, their oracle. It knows
// keys and values as encoded bytes and as memory; [Typed] calls the user's functions, which have
// types.
//
// # Reading order
//
// job.go has a job bound to its input and output; bind.go checks it. map.go reads the files of a
// split with a loop of mapcode.go; emit.go takes what Map emits; skips.go holds it back while bad
// records may be skipped. partition.go and ranges.go choose the reduce of a key. reduce.go merges
// the output of the maps, groups.go calls Reduce for each group, passpairs.go writes pairs without
// one. values.go notices misuse of values and of Partition. local.go is the plain version of all
// this.
package run
