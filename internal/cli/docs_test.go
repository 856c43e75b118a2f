package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/page"
	"github.com/tarry-mr/tarry/experiments"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
)

// documented returns the command lines of a page: those that users type, on separate lines, and
// those within sentences.
func documented(page string) (typed, spoken []string) {
	for _, line := range regexp.MustCompile(`(?m)^\s*(?:\$ |bin/)?(tarry .*)$`).FindAllStringSubmatch(page, -1) {
		typed = append(typed, strings.TrimSpace(line[1]))
	}
	for _, span := range regexp.MustCompile("`(?:[A-Z_]+=\\S* )?(?:bin/)?(tarry [^`\n]+)`").FindAllStringSubmatch(page, -1) {
		spoken = append(spoken, span[1])
	}
	return typed, spoken
}

// splitWords splits a line into words as a shell does, but does not treat backslashes.
func splitWords(line string) (words []string) {
	for _, w := range regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"#])+|#.*`).FindAllString(line, -1) {
		if !strings.HasPrefix(w, "#") {
			words = append(words, regexp.MustCompile(`['"]`).ReplaceAllString(w, ""))
		}
	}
	return words
}

// understood requires that the program accepts a command line: command and flags exist, each flag
// has an effect, values and arguments are valid. It does not run the command.
func understood(t *testing.T, page, line string) {
	t.Helper()
	line = regexp.MustCompile(`( (\|\|?|&&|\d?>\S*)( .*)?| *&)$`).ReplaceAllString(line, "")
	words := splitWords(line)
	root := newRoot(new(program))
	cmd, rest, err := root.Find(words[1:])
	require.NoError(t, err, "%s: %s", page, line)
	require.NotEqual(t, root, cmd, "%s: %s", page, line)
	require.NoError(t, cmd.ParseFlags(rest), "%s: %s", page, line)
	args := cmd.Flags().Args()
	if cmd.Args != nil {
		require.NoError(t, cmd.Args(cmd, args), "%s: %s", page, line)
	}
	require.NoError(t, checkFlags(cmd), "%s: %s", page, line)
	if out := cmd.Flag("output"); out != nil && cmd.Name() != "view" { // view has a default output
		require.NotEmpty(t, out.Value.String(), "%s: where to? %s", page, line)
	}
}

// known requires that the command in line exists and has the flags in line; values may be missing.
func known(t *testing.T, page, line string) {
	t.Helper()
	words := strings.Fields(strings.ReplaceAll(line, `\|`, "|"))
	for i := range words {
		words[i], _, _ = strings.Cut(words[i], "|") // of alternatives a|b the first
	}
	root := newRoot(new(program))
	var names []string
	for _, w := range words[1:] {
		if !regexp.MustCompile(`^[a-z]+$`).MatchString(w) {
			break
		}
		names = append(names, w)
	}
	cmd, _, err := root.Find(names)
	require.NoError(t, err, "%s: %s", page, line)
	require.NotEqual(t, root, cmd, "%s: %s", page, line)
	for _, w := range words {
		name, found := strings.CutPrefix(strings.Trim(w, "[]"), "--")
		if found && name != "help" {
			require.NotNil(t, cmd.Flag(name), "%s: no flag --%s: %s", page, name, line)
		}
	}
}

// The program accepts each command line in README, in the docs and in the results of experiments.
// Those within sentences or with "…" need only existing commands and flags.
func TestDocumentedCommandsAreUnderstood(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	more, err := filepath.Glob("../../docs/*/*.md")
	require.NoError(t, err)
	count := 0
	for _, name := range append(append(pages, more...), "../../README.md") {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		typed, spoken := documented(string(text))
		count += len(typed) + len(spoken)
		for _, line := range typed {
			if strings.ContainsAny(line, "[…") || strings.Contains(line, "...") {
				known(t, name, line)
			} else {
				understood(t, name, line)
			}
		}
		for _, line := range spoken {
			known(t, name, line)
		}
	}
	require.Greater(t, count, 40)
}

// Two pages show a command with its output. The program prints exactly this output.
func TestPagesShowWhatIsPrinted(t *testing.T) {
	for page, command := range map[string]string{"schedulers.md": "tarry sim sweep ", "configuration.md": "tarry delay "} {
		text, err := os.ReadFile("../../docs/" + page)
		require.NoError(t, err)
		list := sessions(string(text))
		at := slices.IndexFunc(list, func(s session) bool { return strings.HasPrefix(s.line, command) })
		require.GreaterOrEqual(t, at, 0, page)
		w := runHere(t, strings.Fields(list[at].line)[1:], nil)
		require.Zero(t, w.code, w.errs)
		require.Equal(t, list[at].shown, w.out)
	}
}

// docs/schedulers.md has a row in its table and a heading for each scheduler.
func TestSchedulersPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/schedulers.md")
	require.NoError(t, err)
	for _, name := range scheduling.Presets() {
		require.Contains(t, string(page), "\n| `"+name+"` |")
		require.Regexp(t, "\n## .*\\b"+name+"\\b", string(page))
	}
}

// The result that an experiment writes names the command that reproduces it.
func TestResultTellsItsCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	w := runHere(t, strings.Fields("experiment delay-fig5 --quick --seed 3 -o out"), nil)
	require.Zero(t, w.code, w.errs)
	e, ok := experiments.Find("delay-fig5")
	require.True(t, ok)
	text, err := os.ReadFile(filepath.Join("out", e.Name, "result.md"))
	require.NoError(t, err)
	_, spoken := documented(string(text))
	require.Equal(t, []string{"tarry experiment delay-fig5 -o delay-fig5 --quick --seed 3"}, spoken)
	understood(t, "result.md", spoken[0])
}

// everyCommand calls do for cmd and all commands below it.
func everyCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, sub := range cmd.Commands() {
		everyCommand(sub, do)
	}
}

// The program accepts each example in its help texts, as understood checks it.
func TestHelpExamples(t *testing.T) {
	examples := 0
	everyCommand(newRoot(new(program)), func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if strings.HasPrefix(line, "  tarry ") {
				examples++
				understood(t, cmd.CommandPath(), strings.TrimSpace(line))
			}
		}
	})
	require.GreaterOrEqual(t, examples, 25)
}

// Help texts have one style: few words for a command; for a flag, a phrase without a capital or a
// full stop; and "(default: …)" for defaults that are computed.
func TestHelpHasOneVoice(t *testing.T) {
	phrase := regexp.MustCompile(`^[a-z0-9][^.]*([^.]|\.[a-z0-9])*$`)
	root := newRoot(new(program))
	everyCommand(root, func(cmd *cobra.Command) {
		require.Regexp(t, "^[A-Z].*[^.]$", cmd.Short, cmd.CommandPath())
		for line := range strings.SplitSeq(cmd.LocalFlags().FlagUsages(), "\n") {
			_, usage, found := strings.Cut(strings.TrimSpace(line), "   ")
			if !found || strings.HasPrefix(strings.TrimSpace(line), "-h") {
				continue
			}
			usage = strings.TrimSpace(usage)
			require.NotRegexp(t, "\\.$", usage, cmd.CommandPath())
			require.Regexp(t, phrase, usage, cmd.CommandPath())
		}
	})
}

// No line of a help text, with --help-all or without, is wider than helpWidth.
func TestHelpFitsTheScreen(t *testing.T) {
	for _, all := range []bool{false, true} {
		p := &program{allFlags: all}
		everyCommand(newRoot(p), func(cmd *cobra.Command) {
			var help bytes.Buffer
			cmd.SetOut(&help)
			require.NoError(t, cmd.Help())
			for line := range strings.Lines(help.String()) {
				require.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), helpWidth, "%s: %s", cmd.CommandPath(), line)
			}
		})
	}
}

// docs/configuration.md names tests that hold the promises of Hadoop's guide. These tests exist.
func TestTableOfTheGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "## At run time, as the guide promises")
	require.True(t, found)
	var all strings.Builder
	for _, pattern := range []string{"*_test.go", "../../actors/serve/*_test.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			all.Write(text)
		}
	}
	rows := 0
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| the guide") {
			continue
		}
		rows++
		tests := regexp.MustCompile("`(Test[A-Za-z]+)(?:/([A-Za-z]+))?`").FindAllStringSubmatch(line, -1)
		require.NotEmpty(t, tests, line)
		for _, name := range tests {
			_, rest, found := strings.Cut(all.String(), "\nfunc "+name[1]+"(t *testing.T) {")
			require.True(t, found, line)
			if body, _, _ := strings.Cut(rest, "\n}\n"); name[2] != "" {
				require.Contains(t, body, `"`+name[2]+`"`, line)
			}
		}
	}
	require.Greater(t, rows, 10)
}

// The page of a run advises flags and settings in findings.mjs. Each flag exists in tarry run, and
// each setting of --set exists in policies.
func TestAdviceOfThePage(t *testing.T) {
	text, err := fs.ReadFile(page.Files(), "findings.mjs")
	require.NoError(t, err)
	root := newRoot(new(program))
	flags := regexp.MustCompile(`--([a-z-]+)`).FindAllSubmatch(text, -1)
	require.NotEmpty(t, flags)
	for _, m := range flags {
		run, _, err := root.Find([]string{"run", "wordcount"})
		require.NoError(t, err)
		require.NotNil(t, run.Flag(string(m[1])), "--%s", m[1])
	}
	settings := regexp.MustCompile(`--set ([a-z.-]+)=`).FindAllSubmatch(text, -1)
	require.NotEmpty(t, settings)
	for _, m := range settings {
		_, err := policyfile.Find(string(m[1]))
		require.NoError(t, err)
	}
}

// Help texts avoid the phrases that the documents avoid (internal/tools/prose.txt).
func TestHelpIsPlain(t *testing.T) {
	rules, err := os.ReadFile("../tools/prose.txt")
	require.NoError(t, err)
	avoid := map[*regexp.Regexp]string{}
	most, _, _ := strings.Cut(string(rules), "# Comments may have these:")
	for line := range strings.Lines(most) {
		phrase, instead, found := strings.Cut(strings.TrimSpace(line), "  ")
		if found && !strings.HasPrefix(line, "#") {
			avoid[regexp.MustCompile(phrase)] = strings.TrimSpace(instead)
		}
	}
	require.Greater(t, len(avoid), 25)
	everyCommand(newRoot(new(program)), func(cmd *cobra.Command) {
		texts := []string{cmd.Short, cmd.Long, cmd.Example}
		cmd.Flags().VisitAll(func(f *pflag.Flag) { texts = append(texts, f.Usage) })
		cmd.PersistentFlags().VisitAll(func(f *pflag.Flag) { texts = append(texts, f.Usage) })
		for _, text := range texts {
			text = strings.Join(strings.Fields(text), " ")
			for phrase, instead := range avoid {
				if found := phrase.FindString(text); found != "" {
					t.Errorf("%s: %q, write %q: %s", cmd.CommandPath(), found, instead, text)
				}
			}
		}
	})
}
