package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// A page holds style, script and events, loads nothing, and gives the events back as they were,
// whatever is in them.
func TestPageIsOneFile(t *testing.T) {
	hostile := `{"at":0,"type":"submitted","node":-1,"job":1,"name":"</script><script>alert(1)</script><!--"}` + "\n"
	var out bytes.Buffer
	require.NoError(t, Write(&out, `</title><script>alert("x")</script>`, strings.NewReader(hostile)))
	page := out.String()
	require.Equal(t, 2, strings.Count(strings.ToLower(page), "</script"), "the events and our script, no other")
	require.NotContains(t, page, "<script>alert(")
	require.Contains(t, page, "<title>&lt;/title&gt;&lt;script&gt;")
	noIcon := strings.Replace(page, `<link rel="icon" href="data:,">`, "", 1)
	require.NotRegexp(t, `(src|href)="[^#]`, noIcon, "nothing is loaded")
	require.NotRegexp(t, `https?://(?:[^w]|w[^w])`, page, "but names of namespaces")
	require.NotRegexp(t, ` on[a-z]+="`, page, "no script in attributes")
	require.NotRegexp(t, ` style="`, page, "no style in attributes")
	packed := regexp.MustCompile(`octet-stream">([A-Za-z0-9+/=]*)</script>`).FindStringSubmatch(page)
	require.NotNil(t, packed)
	in, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed[1])))
	require.NoError(t, err)
	events, err := io.ReadAll(in)
	require.NoError(t, err)
	require.Equal(t, hostile, string(events))
}

// The policy of a page names exactly the style and the script that are in it.
func TestPolicyNamesWhatIsThere(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Write(&out, "run", strings.NewReader("")))
	for _, element := range []string{`<style>`, `<script type="module">`} {
		_, rest, found := strings.Cut(out.String(), element)
		require.True(t, found)
		end := "</" + regexp.MustCompile(`[a-z]+`).FindString(element)
		text, _, found := strings.Cut(rest, end)
		require.True(t, found)
		require.Contains(t, out.String(), "-src '"+hash([]byte(text))+"'")
	}
	require.NotContains(t, out.String(), "unsafe")
}

// A server's index names its events; a name cannot leave its attribute.
func TestIndexOfAServer(t *testing.T) {
	page, err := Index("a <b>", `/events?x="><script>`)
	require.NoError(t, err)
	require.Contains(t, string(page), "<title>a &lt;b&gt;</title>")
	require.Contains(t, string(page), `<body data-events="/events?x=&#34;&gt;&lt;script&gt;">`)
	require.Contains(t, string(page), scriptPart)
	names, err := fs.Glob(Files(), "*.mjs")
	require.NoError(t, err)
	require.NotEmpty(t, names)
}

// The page listens to every kind of event that there is: a server sends each under its name.
func TestPageKnowsAllKinds(t *testing.T) {
	docs, err := os.ReadFile("../docs/events.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(docs), "## Kinds")
	require.True(t, found)
	table, _, found = strings.Cut(table, "## Fields")
	require.True(t, found)
	var want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)`").FindAllStringSubmatch(table, -1) {
		want = append(want, m[1])
	}
	module, err := fs.ReadFile(Files(), "events.mjs")
	require.NoError(t, err)
	list := regexp.MustCompile(`kinds = \[([^\]]*)\]`).FindSubmatch(module)
	require.NotNil(t, list)
	var got []string
	for _, m := range regexp.MustCompile(`"([a-z-]+)"`).FindAllSubmatch(list[1], -1) {
		got = append(got, string(m[1]))
	}
	require.ElementsMatch(t, want, got)
}

// Modules stay small, and what cannot be bundled is refused by name.
func TestModules(t *testing.T) {
	names, err := fs.Glob(Files(), "*.mjs")
	require.NoError(t, err)
	script, err := bundle(Files(), "main.mjs")
	require.NoError(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(Files(), name)
		require.NoError(t, err)
		require.Less(t, bytes.Count(text, []byte("\n")), 300, name)
		require.Equal(t, 1, strings.Count(string(script), "modules."+strings.TrimSuffix(name, ".mjs")+" = "), name)
	}
	for text, want := range map[string]string{
		"import x from \"./y.mjs\";\n":        "a.mjs: cannot bundle",
		"export default 3;\n":                 "a.mjs: cannot bundle",
		"import { x } from \"./a.mjs\";\n":    "imports itself",
		"import { x } from \"./gone.mjs\";\n": "gone.mjs",
		"const s = \"</SCRIPT>\";\n":          "ends a script",
	} {
		_, err := bundle(fstest.MapFS{"a.mjs": {Data: []byte(text)}}, "a.mjs")
		require.ErrorContains(t, err, want)
	}
}

// Who cannot be written to, or read from, is told of.
func TestWriteErrors(t *testing.T) {
	broken := iotestError{}
	require.ErrorIs(t, Write(io.Discard, "", broken), io.ErrUnexpectedEOF)
	require.ErrorIs(t, Write(broken, "", strings.NewReader("")), io.ErrShortWrite)
}

type iotestError struct{}

func (iotestError) Read([]byte) (int, error)  { return 0, io.ErrUnexpectedEOF }
func (iotestError) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
