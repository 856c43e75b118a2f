package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// A page of one file contains its style, script and events, and loads nothing else. Hostile titles
// and events cannot add scripts, and the events are unchanged in it.
func TestPageIsOneFile(t *testing.T) {
	hostile := `{"at":0,"type":"submitted","node":-1,"job":1,"name":"</script><script>alert(1)</script><!--"}` + "\n"
	var out bytes.Buffer
	require.NoError(t, Write(&out, `</title><script>alert("x")</script>`, strings.NewReader(hostile), Simulator{}))
	page := out.String()
	require.Equal(t, 3, strings.Count(strings.ToLower(page), "</script"), "the events, a place for another run's, and our script")
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

// After the events, the page embeds another run for comparison. A hostile name of it stays text. A
// second other run is an error.
func TestOtherRun(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Write(&out, "run", strings.NewReader("one\n"), Simulator{}, Other{`"><script>`, strings.NewReader("two\n")}))
	var texts []string
	for _, m := range regexp.MustCompile(`octet-stream"( data-name="&#34;&gt;&lt;script&gt;")?>([A-Za-z0-9+/=]*)</script>`).FindAllStringSubmatch(out.String(), -1) {
		in, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m[2])))
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		texts = append(texts, m[1][:min(len(m[1]), 10)]+string(text))
	}
	require.Equal(t, []string{"one\n", " data-nametwo\n"}, texts)
	require.Error(t, Write(io.Discard, "run", strings.NewReader(""), Simulator{}, Other{}, Other{}))
}

// The content security policy in a page of one file allows exactly the page's own style and script.
func TestPolicyNamesWhatIsThere(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Write(&out, "run", strings.NewReader(""), Simulator{}))
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

// A page of one file has the given simulator. Its content security policy then also permits to
// compile it and to run its worker, and nothing more.
func TestPageHasTheSimulator(t *testing.T) {
	var with, without bytes.Buffer
	require.NoError(t, Write(&without, "run", strings.NewReader(""), Simulator{}))
	require.NoError(t, Write(&with, "run", strings.NewReader(""), Simulator{Worker: []byte("work </script>"), Module: []byte("\x00asm")}))
	require.Contains(t, without.String(), bodyPart)
	require.Contains(t, with.String(), `<body data-module="simulator">`)
	for id, want := range map[string]string{"worker": "work </script>", "simulator": "\x00asm"} {
		part := fmt.Sprintf(packedPart, id)
		require.NotContains(t, without.String(), part)
		_, rest, found := strings.Cut(with.String(), part)
		require.True(t, found)
		in, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(strings.Split(rest, "<")[0])))
		require.NoError(t, err)
		got, err := io.ReadAll(in)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	policy := regexp.MustCompile(`script-src [^;]*; worker-src [^;]*;`).FindString(with.String())
	require.Regexp(t, `^script-src 'sha256-[^' ]+' 'wasm-unsafe-eval'; worker-src blob:;$`, policy)
}

// Index writes title, URL and module into the page, escaped. Without a module it names none.
func TestIndexOfAServer(t *testing.T) {
	page, err := Index("a <b>", "/", "tarry.wasm.gz")
	require.NoError(t, err)
	require.Contains(t, string(page), `<body data-api="/" data-module="tarry.wasm.gz">`)
	page, err = Index("a <b>", `/events?x="><script>`, "")
	require.NoError(t, err)
	require.Contains(t, string(page), "<title>a &lt;b&gt;</title>")
	require.Contains(t, string(page), `<body data-api="/events?x=&#34;&gt;&lt;script&gt;">`)
	require.Contains(t, string(page), scriptPart)
	names, err := fs.Glob(Files(), "*.mjs")
	require.NoError(t, err)
	require.NotEmpty(t, names)
}

// Modules have less than 300 lines. bundle includes each once and names one that it cannot bundle.
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
	script, err = bundle(fstest.MapFS{"a.mjs": {Data: []byte("export const $ = 1;\nexport const from64 = 2;\n")}}, "a.mjs")
	require.NoError(t, err)
	require.Contains(t, string(script), "return { $, from64 };")
	for text, want := range map[string]string{
		"import x from \"./y.mjs\";\n":          "a.mjs: cannot bundle",
		"export default 3;\n":                   "a.mjs: cannot bundle",
		"import { x as y } from \"./b.mjs\";\n": "a.mjs: cannot bundle",
		"import { x } from \"./a.mjs\";\n":      "imports itself",
		"import { x } from \"./gone.mjs\";\n":   "gone.mjs",
		"const s = \"</SCRIPT>\";\n":            "ends a script",
	} {
		_, err := bundle(fstest.MapFS{"a.mjs": {Data: []byte(text)}}, "a.mjs")
		require.ErrorContains(t, err, want)
	}
}

// Write returns the errors of its events and its output.
func TestWriteErrors(t *testing.T) {
	broken := iotestError{}
	require.ErrorIs(t, Write(io.Discard, "", broken, Simulator{}), io.ErrUnexpectedEOF)
	require.ErrorIs(t, Write(broken, "", strings.NewReader(""), Simulator{}), io.ErrShortWrite)
}

type iotestError struct{}

func (iotestError) Read([]byte) (int, error)  { return 0, io.ErrUnexpectedEOF }
func (iotestError) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
