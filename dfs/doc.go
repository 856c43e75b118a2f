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
// When a node is lost, its replicas no longer count; healing copies blocks with too few replicas;
// the replicas that a node still has count once more when it comes back. A [Source] is a file as a
// map reads it.
//
// Nothing is persistent: a stored file lives as long as its FS. Files are immutable and cannot be
// appended to. Names follow [io/fs.ValidPath].
//
// Reading order: source.go, block.go, fs.go, namespace.go, placement.go, heal.go.
package dfs
