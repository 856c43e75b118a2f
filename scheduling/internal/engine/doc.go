// Package engine is the Core with its policies, as package scheduling shows it.
//
// A policy is put together from parts that know nothing of each other: which job is next (order,
// order_*.go), may its map go to this node now (delay.go), may its reduce (reduce_*.go), may it run
// at all (limits), and who gives slots back (preemption). What a part keeps of a job lies with the
// part. Preset gives the named combinations. Adding one takes a file with its order and a line in
// presets.go. Plain structures and formulas without a Core have packages beside this one: index,
// shares, virtual, gravity.
//
// Reading order: ids.go, types.go, policy.go, core.go, order.go, heartbeat.go, offer.go, then one
// order (order_fair.go) and the rest.
package engine
