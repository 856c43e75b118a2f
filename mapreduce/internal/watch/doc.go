// Package watch checks the functions of a job for mistakes that otherwise go unnoticed. Plan.Debug
// of package mapreduce/cluster lists them.
//
// A [State] belongs to a plan. It wraps the user's functions by reflection, so that no code is
// compiled per job. [Copies] are what these functions get in place of the engine's own memory.
package watch
