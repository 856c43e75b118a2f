// Package dfa finds the lines of a text that a regular expression matches, some ten times as fast
// as package regexp, which is asked line by line.
//
//	p, err := dfa.Compile(tree)       // of package regexp/syntax
//	s := p.NewSearcher()              // one for each goroutine
//	at, outcome := s.Next(text, from) // the next line that matches holds text[at]
//
// It answers only whether a line matches, and what it answers is what regexp.Match of the line
// without its line feed answers: $ and \z are the end of the line, \b and \w are those of ASCII,
// and a byte that is not UTF-8 counts as U+FFFD.
//
// A Searcher reads a byte at a time and is in one state at a time, which stands for all the ways in
// which a match may have begun (a DFA). States are made when a text first leads to them, and kept in
// a table of what each byte leads to. When the table is full it is begun anew; a text that has a new
// state every few bytes is given up, as package regexp is faster then. A line feed leads back to the
// first state, so that a text is read in one go, whatever its lines.
//
// Where nothing of a match has been seen, which is nearly everywhere in most texts, the next place
// that has the first three bytes of a match is looked for, 32 places at a time.
//
// Read runes.go and decode.go (from bytes to classes of characters), program.go, states.go, search.go;
// prefix.go and begin.go for the first bytes of a match.
//
// TestPaths of actors/differential enters the automaton, its table and the search for first bytes by jobs whose results
// package regexp knows.
package dfa
