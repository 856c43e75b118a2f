// Package policyfile defines the keys of all settings of a scheduling.Policy, for files, the
// command line and sweeps, with their ranges, defaults and meanings, in one table ([Fields]). Read
// parses a file; Write writes a policy as a file with every key. Custom parts of a program
// (scheduling.Parts) have no keys: the program names them after it has read the file.
//
//	scheduler: hfs          # a preset, which the rest changes
//	reduce:
//	  rule: cogrs
//	  theta: 0.1
//	locality:
//	  waits: [2s, 4s]
package policyfile
