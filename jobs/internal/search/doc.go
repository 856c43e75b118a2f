// Package search finds the lines of a chunk of text that match a pattern, without examining most
// other lines.
//
//	p, err := search.Compile(`[Cc]omput(er|ing)s?\b`, search.Options{})
//	for start, end := range p.Lines(chunk) {
//		os.Stdout.Write(chunk[start:end])
//	}
//
// Most patterns have literals of which every match must contain one: here "omput". Search looks for
// these in the whole chunk, for one literal by its two rarest bytes and for several by package
// teddy. Package dfa decides which lines match. It examines only lines that contain a literal, or
// all the text where literals are too frequent for this to pay. Go's regular expressions find the
// matches within a line, and replace package dfa for patterns on which it gives up.
//
// Patterns have the syntax of Go's package regexp (RE2). A line ends with a line feed, which is not
// part of the text that the pattern sees; a carriage return before it is. Bytes that are not UTF-8
// are matched one by one, as U+FFFD.
//
// Read pattern.go, then literal.go (literals that a match must contain), needles.go (how to find
// them), scanner.go and lines.go.
//
// TestPaths of actors/differential tests each of these ways with jobs whose results package regexp
// computes.
package search
