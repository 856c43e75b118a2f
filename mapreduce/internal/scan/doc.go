// Package scan finds words and lines in text with word-wide operations.
//
// White space is as in C's isspace in the POSIX locale: space, tab, line feed, vertical tab, form
// feed and carriage return. All other bytes, including control and non-ASCII ones, belong to words.
// Words are the same as those of `tr -s '[:space:]' '\n'` in the C locale.
//
// TestPaths of actors/differential counts words with it, and so does
// TestBuiltInJobsArePlainPrograms of internal/cli in small blocks.
package scan
