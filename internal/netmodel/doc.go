// Package netmodel models the network of a cluster: what bytes take from node to node when all
// transfers share the links. A node has a link in each direction, a rack an uplink in each
// direction to the core, which is never full.
//
// The model is numbers only. It is told the time, starts nothing and is not safe for concurrent
// use: the simulator asks it in virtual time, a live cluster behind a lock.
package netmodel
