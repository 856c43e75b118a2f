// Package policyfile names every setting of a scheduling.Policy: the key it has in a file, on the
// command line and in a sweep, its range, its default and what it means. One table has them all;
// Read takes a file to settings, Write takes a policy to a file with every key. Only the parts that a
// program brings along (scheduling.Parts) have no key: it names them after it has read the file.
//
//	scheduler: hfs          # a preset, which the rest changes
//	reduce:
//	  rule: cogrs
//	  theta: 0.1
//	locality:
//	  waits: [2s, 4s]
package policyfile
