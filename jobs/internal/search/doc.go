// Package search finds the lines of a chunk of text that match a pattern, without looking at the
// other lines.
//
//	p, err := search.Compile(`[Cc]omput(er|ing)s?\b`, search.Options{})
//	p.Lines(chunk, func(line []byte) { os.Stdout.Write(line) })
//
// Most patterns have texts of which every match must hold one: here "omput". The chunk is searched
// for these as a whole, 32 bytes at a time, and only lines that hold one are looked at. Where there
// are none, or they lie so near to each other that this does not pay, all the text is read. Either
// way it is package dfa that tells which lines match; Go's regular expressions say where in a line,
// and stand in for a pattern that package dfa gives up.
//
// Patterns have the syntax of Go's package regexp (RE2). A line ends with a line feed, which is no
// part of what the pattern sees; a carriage return before it is. Bytes that are not UTF-8 are
// matched one by one, as U+FFFD.
//
// Read pattern.go, then literal.go (which texts a match must hold), needle.go and pair.go (how they
// are looked for), scanner.go, lines.go.
//
// TestPaths of actors/differential enters each of the ways by jobs whose results package regexp knows.
package search
