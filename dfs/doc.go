// Package dfs is Tarry's replicated block store. It cuts files into blocks and replicates the
// blocks over nodes in racks, all inside one process.
//
//	store, err := dfs.New(dfs.Config{Nodes: []dfs.Node{{"n0", "r0"}, {"n1", "r0"}, {"n2", "r1"}}})
//	…
//	err = store.WriteFile("in/book.txt", text)     // cut, checksummed, replicated
//	blocks, err := store.Blocks("in/book.txt")     // where each extent lives
//	data, err := fs.ReadFile(store, "in/book.txt") // an io/fs file system
//
//	src, err := dfs.OpenLocal("/data/big.log")     // a file of this machine …
//	err = store.Register("in/big.log", src, 0)     // … as blocks, nothing copied
//
// An [FS] knows replicas only from the reports of nodes. When a node is lost, its replicas no
// longer count; healing copies blocks with too few replicas; a node that comes back reports the
// replicas that it still has. A [Source] is a file as a map reads it.
//
// Nothing is persistent: a stored file lives as long as its FS. Files are immutable and cannot be
// appended to. Names follow [io/fs.ValidPath].
//
// Reading order: source.go, block.go, fs.go, namespace.go, placement.go, report.go.
package dfs
