// Package netmodel models the network of a cluster: how long bytes take from node to node when all
// transfers share the links. A node has a link in each direction, and a rack has an uplink in each
// direction to the core, which is never congested.
//
// The model only computes. Callers pass the time; it starts nothing and is not safe for concurrent
// use: the simulator uses it in virtual time, a live cluster under a mutex.
package netmodel
