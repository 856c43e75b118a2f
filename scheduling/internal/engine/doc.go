// Package engine makes a Core with its policies; package scheduling exports what it has.
//
// A policy is a combination of independent parts: the order of jobs (packages flat, pools,
// capacity, hfsp, quincy), the placement of maps (delay), the placement of reduces (cogrs), and
// speculation (speculate). Each part keeps its own records of jobs. Preset returns the named
// combinations. A new policy needs a package with its order and a line in presets.go. The tests of
// a policy are in its package. The tests of the Core are here, since the Core needs a policy to do
// anything.
package engine
