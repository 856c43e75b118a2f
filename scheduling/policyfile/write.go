package policyfile

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
)

// Write writes a policy as a file with every key, its meaning and its range. Keys without effect
// are commented out. The file read back gives an equivalent policy.
func Write(out io.Writer, scheduler string, p *scheduling.Policy) error {
	b := bufio.NewWriter(out)
	line(b, "", "scheduler: "+scheduler, "the preset that the rest changes: "+strings.Join(scheduling.Presets(), ", "))
	list := Fields()
	group := ""
	for _, f := range list {
		above, name, below := strings.Cut(f.Key, ".")
		if !below {
			above, name = "", f.Key
		}
		if above != group && above != "" {
			mark := ""
			if !slices.ContainsFunc(list, func(o *Field) bool { return strings.HasPrefix(o.Key, above+".") && o.Idle(p) == "" }) {
				mark = "#"
			}
			fmt.Fprintf(b, "%s%s:\n", mark, above)
		}
		group = above
		indent := ""
		if above != "" {
			indent = "  "
		}
		if f.Idle(p) != "" {
			indent = "#" + indent
		}
		f.write(b, indent, name, p)
	}
	return b.Flush()
}

// write writes the line of one key: its value in p and, as a comment, its meaning.
func (f *Field) write(b *bufio.Writer, indent, name string, p *scheduling.Policy) {
	v := f.of(reflect.ValueOf(p))
	value := quoted(f.text(v))
	switch {
	case f.IsList() && v.Len() == 0:
		line(b, indent, name+": []", f.meaning())
		f.explainItems(b, indent)
		return
	case f.IsList():
		line(b, indent, name+":", f.meaning())
		for i := range v.Len() {
			f.writeItem(b, indent, v.Index(i).Addr())
		}
		return
	case v.Kind() == reflect.Slice:
		value = "[" + strings.ReplaceAll(f.text(v), "/", ", ") + "]"
	}
	line(b, indent, name+": "+value, f.meaning())
}

// writeItem writes a pool, user or queue on one line.
func (f *Field) writeItem(b *bufio.Writer, indent string, item reflect.Value) {
	var parts []string
	for _, one := range f.items {
		parts = append(parts, one.Key+": "+quoted(one.text(one.of(item))))
	}
	fmt.Fprintf(b, "%s  - {%s}\n", indent, strings.Join(parts, ", "))
}

// explainItems writes the settings that an entry of an empty list may have.
func (f *Field) explainItems(b *bufio.Writer, indent string) {
	for _, one := range f.items {
		fmt.Fprintf(b, "#%s  # %s: %s\n", strings.TrimPrefix(indent, "#"), one.Key, one.meaning())
	}
}

// meaning returns the comment after a key: its help, its range and its default.
func (f *Field) meaning() string {
	text := f.Help
	var more []string
	if r := f.Range(); r != "" && !f.IsList() {
		more = append(more, r)
	}
	if f.Unset != "" {
		more = append(more, "default "+f.Unset)
	}
	if more != nil {
		text += " (" + strings.Join(more, "; ") + ")"
	}
	return text
}

// line writes a key with its meaning.
func line(b *bufio.Writer, indent, key, meaning string) {
	fmt.Fprintf(b, "%-32s # %s\n", indent+key, meaning)
}

// quoted returns a value in the notation of YAML, in quotation marks if necessary.
func quoted(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-+µ", r))
	})
	if plain && s[0] != '-' && s[0] != '+' && s != "null" && s != "~" {
		return s
	}
	return strconv.Quote(s)
}
