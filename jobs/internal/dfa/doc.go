// Package dfa finds the lines of a text that match a regular expression, some ten times as fast as
// calling package regexp for each line.
//
//	p, err := dfa.Compile(tree, true) // of package regexp/syntax
//	s := p.NewSearcher()              // one for each goroutine
//	start, at, outcome := s.Next(text, from) // the next line that matches, and a position in it
//
// It decides only whether a line matches, and its answer is that of regexp.Match for the line
// without its line feed: $ and \z are the end of the line, \b and \w are ASCII, and a byte that is
// not UTF-8 counts as U+FFFD.
//
// A Searcher is a lazy DFA. It reads one byte at a time and is in one state, which represents all
// ways in which a match may have begun. It creates states when a text first leads to them, and
// keeps them with their transitions in a table. When the table is full, the Searcher clears it. If
// a text leads to a new state every few bytes, the Searcher gives up, since package regexp is
// faster then. A line feed leads back to the first state, so a text is read in one pass, whatever
// its lines. A state follows its assertions, such as \b, when it knows the next character; so it
// finds a match one byte late.
//
// Where no match has begun, which is nearly everywhere in most texts, the Searcher skips to the
// next position with the first three bytes of a match, by package teddy.
//
// Read program.go, alphabet.go (classes of bytes), states.go, search.go; then begin.go for the
// first bytes of a match.
//
// TestPaths of actors/differential tests the automaton, its table and the search for first bytes
// with jobs whose results package regexp computes.
package dfa
