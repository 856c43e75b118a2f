package tools

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// documents returns the file names of README.md and of all pages below docs.
func documents(t *testing.T) []string {
	list, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	below, err := filepath.Glob("../../docs/*/*.md")
	require.NoError(t, err)
	require.Greater(t, len(list)+len(below), 20)
	return slices.Concat([]string{"../../README.md"}, below, list)
}

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```[^\n]*\n")
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	code    = regexp.MustCompile("`[^`\n]+`")
	link    = regexp.MustCompile(`!?\[([^]]*)\]\(([^)\s]+)\)`)
)

// anchors returns the names that GitHub gives to a page's headings, for links such as page.md#name.
func anchors(page string) (list []string) {
	for line := range strings.Lines(fence.ReplaceAllString(page, "")) {
		title, found := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !found || !strings.HasPrefix(line, "#") {
			continue
		}
		title = link.ReplaceAllString(strings.TrimSpace(title), "$1")
		list = append(list, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, title))
	}
	return list
}

// Each relative link in a document leads to an existing file, and its #name to a heading there.
func TestLinks(t *testing.T) {
	pages := slices.Concat(documents(t), []string{"../../CHANGELOG.md", "imports.md", "../../experiments/results.md", "../../experiments/faults.md"})
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		shown := fence.ReplaceAllString(string(text), "")
		for _, l := range link.FindAllStringSubmatch(shown, -1) {
			if strings.Contains(l[2], "://") {
				continue
			}
			found++
			name, anchor, _ := strings.Cut(l[2], "#")
			at := page
			if name != "" {
				at = filepath.Join(filepath.Dir(page), name)
			}
			target, err := os.Stat(at)
			if err != nil {
				t.Errorf("%s: [%s](%s): no such file", page, l[1], l[2])
				continue
			}
			if anchor == "" || target.IsDir() || path.Ext(at) != ".md" {
				continue
			}
			text, err := os.ReadFile(at)
			require.NoError(t, err)
			if !slices.Contains(anchors(string(text)), anchor) {
				t.Errorf("%s: [%s](%s): no such heading", page, l[1], l[2])
			}
		}
	}
	require.Greater(t, found, 150)
}

// Each page of docs that code or text of the repository names exists.
func TestNamedPagesExist(t *testing.T) {
	page, found := regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.md\b`), 0
	err := filepath.WalkDir("../..", func(at string, f fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case f.IsDir() && slices.Contains([]string{".git", "bin", "out", "node_modules", "testdata"}, f.Name()):
			return filepath.SkipDir
		case f.IsDir() || !slices.Contains([]string{".go", ".md", ".mjs", ".sh", ".yaml", ""}, path.Ext(at)):
			return nil
		}
		text, err := os.ReadFile(at)
		for _, name := range page.FindAllString(string(text), -1) {
			found++
			if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
				t.Errorf("%s names %s, which does not exist", at, name)
			}
		}
		return err
	})
	require.NoError(t, err)
	require.Greater(t, found, 20)
}

// Each benchmark that a page's command names exists in the package that the command names.
func TestNamedBenchmarksExist(t *testing.T) {
	command, found := regexp.MustCompile("go test [^`\n]*-bench '?([A-Za-z|]+)'? ([^`\n]+)"), 0
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, c := range command.FindAllStringSubmatch(string(text), -1) {
			files, err := filepath.Glob(filepath.Join("../..", c[2], "*_test.go"))
			require.NoError(t, err)
			var tests []byte
			for _, file := range files {
				more, err := os.ReadFile(file)
				require.NoError(t, err)
				tests = append(tests, more...)
			}
			for name := range strings.SplitSeq(c[1], "|") {
				found++
				require.True(t, strings.Contains(string(tests), "func Benchmark"+name+"("), "%s: %s: no %s", page, c[0], name)
			}
		}
	}
	require.Greater(t, found, 2)
}

// sentences returns the sentences of a page, without code. The end of a cell or list item ends one.
func sentences(page string) (list []string) {
	page = comment.ReplaceAllString(fence.ReplaceAllString(page, "\n\n"), "")
	page = link.ReplaceAllString(code.ReplaceAllString(page, "code"), "$1")
	var block strings.Builder
	end := func() {
		for _, s := range regexp.MustCompile(`[.!?](?:\s|$)`).Split(block.String(), -1) {
			if s = strings.Join(strings.Fields(strings.ReplaceAll(s, "*", "")), " "); s != "" {
				list = append(list, s)
			}
		}
		block.Reset()
	}
	item := regexp.MustCompile(`^(#+|-|[0-9]+\.) `)
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "    "): // code
			end()
		case strings.HasPrefix(line, "|"):
			for cell := range strings.SplitSeq(line, " | ") {
				end()
				block.WriteString(strings.Trim(strings.TrimSpace(cell), "|-: "))
			}
			end()
		case strings.TrimSpace(line) == "":
			end()
		default:
			if item.MatchString(line) {
				end()
			}
			block.WriteString(item.ReplaceAllString(line, ""))
		}
	}
	end()
	return list
}

// Limits: the words of a sentence, and those of README.md and docs together.
const (
	longest  = 25
	allWords = 26_000
)

// most returns the maximum number of words of a page.
func most(page string) int {
	switch {
	case strings.Contains(page, "/decisions/"):
		return 400
	case path.Base(page) == "vocabulary.md":
		return 700
	case page == "../../README.md":
		return 900
	}
	return 3_200
}

// phrases returns, by phrase to avoid, what to write: the lines of prose.txt before the line end.
func phrases(t *testing.T, end string) map[*regexp.Regexp]string {
	rules, err := os.ReadFile("prose.txt")
	require.NoError(t, err)
	avoid := map[*regexp.Regexp]string{}
	for line := range strings.Lines(string(rules)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			if line == end && end != "" {
				break
			}
			continue
		}
		phrase, instead, found := strings.Cut(line, "  ")
		require.True(t, found, line)
		avoid[regexp.MustCompile(phrase)] = strings.TrimSpace(instead)
	}
	return avoid
}

// README.md and docs are within the limits on words and sentences, and avoid phrases of prose.txt.
func TestProse(t *testing.T) {
	avoid := phrases(t, "")
	require.Greater(t, len(avoid), 30)
	words := 0
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		count := len(strings.Fields(string(text)))
		require.LessOrEqual(t, count, most(name), name)
		words += count
		for _, s := range sentences(string(text)) {
			if n := len(strings.Fields(s)); n > longest {
				t.Errorf("%s: %d words: %s", name, n, s)
			}
			for phrase, instead := range avoid {
				if found := phrase.FindString(s); found != "" {
					t.Errorf("%s: %q, write %q: %s", name, found, instead, s)
				}
			}
		}
	}
	require.LessOrEqual(t, words, allWords)
}

// plain are the directories whose comments avoid the phrases of prose.txt.
var plain = strings.Fields("actors dfs jobs contrib mapreduce " +
	"internal/journal internal/netmodel internal/globs internal/gen internal/yamlfile internal/scratch " +
	"internal/nofollow scheduling experiments internal/cli internal/bench " +
	"internal/statistics internal/spelling internal/textfile internal/cputime internal/linear internal/tools cmd examples")

// Comments, also those of tests, avoid the phrases in the first part of prose.txt.
func TestComments(t *testing.T) {
	avoid := phrases(t, "# Comments may have these:")
	require.Greater(t, len(avoid), 25)
	for _, dir := range plain {
		require.NoError(t, filepath.WalkDir("../../"+dir, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || path.Ext(name) != ".go" {
				return err
			}
			text, err := os.ReadFile(name)
			for line := range strings.Lines(string(text)) {
				words, found := strings.CutPrefix(strings.TrimSpace(line), "// ")
				for phrase, instead := range avoid {
					if s := phrase.FindString(words); found && s != "" {
						t.Errorf("%s: %q, write %q: %s", name, s, instead, words)
					}
				}
			}
			return err
		}))
	}
}

// The set-ups and notes of experiments avoid the phrases of prose.txt.
func TestExperimentTexts(t *testing.T) {
	avoid := phrases(t, "")
	texts := 0
	require.NoError(t, fs.WalkDir(os.DirFS("../../experiments"), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" || path.Dir(name) == "." {
			return err
		}
		texts++
		text, err := os.ReadFile("../../experiments/" + name)
		for _, s := range sentences(string(text)) {
			for phrase, instead := range avoid {
				if found := phrase.FindString(s); found != "" {
					t.Errorf("%s: %q, write %q: %s", name, found, instead, s)
				}
			}
		}
		return err
	}))
	require.Greater(t, texts, 35)
}
