// Package scan finds words and lines in text eight bytes at a time.
//
// White space is what C's isspace calls so in the POSIX locale: space, tab, line
// feed, vertical tab, form feed and carriage return. All other bytes, control
// and non-ASCII ones included, belong to words. Words are cut as
// `tr -s '[:space:]' '\n'` in the C locale cuts them.
//
// TestPaths of actors/differential counts words with it, TestBuiltInJobsArePlainPrograms of internal/cli in small blocks.
package scan
