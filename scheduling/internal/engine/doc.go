// Package engine is the Core with its policies, as package scheduling shows it.
//
// A policy is put together from parts that know nothing of each other: which job is next (packages
// flat, pools, capacity, hfsp, quincy), may its map go to this node now (delay), may its reduce
// (cogrs). What a part keeps of a job lies with the part. Preset gives the named combinations.
// Adding one takes a package with its order and a line in presets.go. Tests of a policy stand beside
// it; those of the Core, which needs a policy to do anything, are here.
package engine
