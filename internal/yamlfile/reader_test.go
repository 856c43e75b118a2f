package yamlfile

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var errBad = errors.New("bad file")

// readList reads a file with two keys: list, a list of words, and on, a boolean.
func readList(text string) (list []string, on bool, err error) {
	r := &Reader{Name: "f.yaml", Bad: errBad}
	root, err := r.Root(strings.NewReader(text))
	if err != nil {
		return nil, false, err
	}
	one := ""
	item := Value(r, &one, func(s string) (string, error) {
		if s == "bad" {
			return "", errors.New("it is bad")
		}
		return s, nil
	})
	err = r.Mapping(root, map[string]Field{
		"on": r.Truth(&on),
		"list": func(n Node) error {
			return r.Each(n, func(n Node) error {
				err := item(n)
				list = append(list, one)
				return err
			})
		},
	})
	return list, on, err
}

func TestReads(t *testing.T) {
	list, on, err := readList("\xef\xbb\xbfon: true # yes\nlist:\n  - a\n  - 1.5\n  - \"x y\"\n")
	require.NoError(t, err)
	require.True(t, on)
	require.Equal(t, []string{"a", "1.5", "x y"}, list)
}

// Each fault begins with its place.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"on: true\nlists: []\n":        `f.yaml:2:1: bad file: unknown key "lists", did you mean "list"?`,
		"off: true\n":                  `f.yaml:1:1: bad file: unknown key "off"`,
		"on: true\non: false\n":        `f.yaml:2: bad file: mapping key "on" already defined`,
		"on: perhaps\n":                `f.yaml:1:5: bad file: want true or false, not string`,
		"list: a\n":                    `f.yaml:1:7: bad file: want a list, not string`,
		"list: [a, bad]\n":             `f.yaml:1:11: bad file: it is bad`,
		"list: [[a]]\n":                `want a plain value, not sequence`,
		"- a\n":                        `want keys and values, not sequence`,
		"on: true\n---\non: true\n":    `f.yaml:1: bad file: 2 documents, want one`,
		"# nothing\n":                  `f.yaml:1: bad file: nothing in it`,
		"on: \x00\n":                   `f.yaml:1: bad file: not text`,
		"on: [\n":                      `f.yaml:`,
		strings.Repeat("[", 20):        `nest too deep`,
		strings.Repeat("#", 4<<20+1):   `longer than 4194304 bytes`,
		"on: true\nlist: [&x a, *x]\n": `want a plain value`,
	} {
		_, _, err := readList(text)
		require.ErrorIs(t, err, errBad, "%.50q", text)
		require.ErrorContains(t, err, want, "%.50q", text)
	}
}
