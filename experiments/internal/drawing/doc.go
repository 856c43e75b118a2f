// Package drawing draws areas, lines and texts as SVG and as PNG. The same calls give the same bytes.
//
// It is so small because it is linked into a command line that has to start fast: a plotting library
// brings fonts, formats and tables that take a third of the program and a millisecond of each start.
package drawing
