package scan

import "bytes"

// IsSpace reports whether c is ASCII white space.
func IsSpace(c byte) bool { return c == ' ' || c-'\t' < 5 }

// Fields calls yield with each word of text, in order, until yield returns
// false. A word aliases text and is never empty.
func Fields(text []byte, yield func(word []byte) bool) {
	for i := 0; i < len(text); {
		if IsSpace(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && !IsSpace(text[i]) {
			i++
		}
		if !yield(text[start:i:i]) {
			return
		}
	}
}

// Lines calls yield with each line of text without its line feed, until yield
// returns false. A last line without line feed counts; a carriage return stays.
func Lines(text []byte, yield func(line []byte) bool) {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		if !yield(line) {
			return
		}
		text = rest
	}
}

// CountLines returns the number of lines that Lines would yield.
func CountLines(text []byte) int64 {
	n := int64(bytes.Count(text, []byte{'\n'}))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}
