// Package search finds the lines of a chunk of text that match a pattern, without looking at the
// other lines.
//
//	p, err := search.Compile(`[Cc]omput(er|ing)s?\b`, search.Options{})
//	p.Lines(chunk, func(line []byte) { os.Stdout.Write(line) })
//
// A regular expression is asked about a line only if the line holds a text that every match must
// hold: here "omput". The chunk is searched for that text as a whole, and the ends of a line are
// looked for around hits only. Text without a hit is thus passed over 32 bytes at a time. Of a long
// line only what is near the hits is given to the expression, if its matches are short.
//
// Patterns have the syntax of Go's package regexp (RE2). A line ends with a line feed, which is no
// part of what the pattern sees; a carriage return before it is. Bytes that are not UTF-8 are
// matched one by one, as U+FFFD.
//
// Read pattern.go, then literal.go (which texts a match must hold), needle.go and pair.go (how they
// are looked for), lines.go, window.go (long lines).
package search
