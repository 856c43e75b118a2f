package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// gnuInputs returns, by name, difficult contents of files, and flags whose block size splits lines.
func gnuInputs() map[string]struct{ blocks, files []string } {
	long := strings.Repeat("xyz, Abc 12 ", 17_000) // 204 kB
	small := []string{"--block-size", "7"}
	return map[string]struct{ blocks, files []string }{
		"empty file":    {nil, []string{""}},
		"no line feed":  {small, []string{"b 2\nabc,10\nABC,9"}},
		"CRLF":          {small, []string{"abc\r\n\r\nb,1\r\na\r\n"}},
		"NUL bytes":     {small, []string{"a\x00bc\n\x00\nabc\x00\n\x00\x00b"}},
		"invalid UTF-8": {small, []string{"\xff\xfe abc\n\xc3\x28a\n\x80\nabc\xff"}},
		"long lines":    {[]string{"--block-size", "50000"}, []string{"b\n" + long + "\na\n" + long + "abc", long}},
		"several": {small, []string{
			"", "abc\n", "no match\nx", "\n\n", "a\nb\nabc, 3\nabc, 20\n abc\nAbC\nc\nd\ne\nf\nabc\nB 1\n", strings.Repeat("1\nabc 10\n", 9),
		}},
	}
}

var asked = map[string]bool{} // results of isGNU by tool

// isGNU reports whether a tool is installed and is the one of GNU.
func isGNU(tool string) bool {
	is, known := asked[tool]
	if !known {
		about, _ := exec.Command(tool, "--version").Output() // none where there is no such tool
		is = bytes.Contains(about, []byte("GNU"))
		asked[tool] = is
	}
	return is
}

// gnu runs tools, separated by "|", in the C locale. It returns the output and exit code of the
// last. It skips the test if a tool is not installed or is not GNU's.
func gnu(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	var in []byte
	for len(args) > 0 {
		n := 0
		for n < len(args) && args[n] != "|" {
			n++
		}
		if !isGNU(args[0]) {
			t.Skipf("%s is not installed, or is not GNU's", args[0])
		}
		cmd := exec.Command(args[0], args[1:n]...)
		cmd.Stdin = bytes.NewReader(in)
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		in, _ = cmd.Output() // the test compares the exit code
		code = cmd.ProcessState.ExitCode()
		args = args[min(n+1, len(args)):]
	}
	return string(in), code
}

// sameAsGNU compares output and exit code of tarry run with those of a pipe of GNU tools. Each
// input replaces the word FILES in both; shape turns the output of the tools into Tarry's format.
func sameAsGNU(t *testing.T, job, tools string, shape func(string) string) {
	t.Helper()
	for name, input := range gnuInputs() {
		t.Chdir(t.TempDir())
		var files []string
		for i, text := range input.files {
			files = append(files, fmt.Sprintf("f%d", i))
			write(t, files[i], text)
		}
		words := func(line string) []string {
			return splitWords(strings.ReplaceAll(line, "FILES", strings.Join(files, " ")))
		}
		want, code := gnu(t, words(tools)...)
		want = shape(want)
		if code == 1 && strings.HasPrefix(job, "grep") {
			code = exitNone
		}
		got := runHere(t, slices.Concat([]string{"run"}, words(job), input.blocks, []string{"-q"}), nil)
		require.Equal(t, code, got.code, "%s, %s: %s", job, name, got.errs)
		if want != got.out {
			t.Errorf("%s, %s\nwant %.300q\ngot  %.300q", job, name, want, got.out)
		}
	}
}

func asItIs(s string) string { return s }

// tarry run grep prints what GNU grep prints, and has its exit codes, except 4 if no line matches.
func TestGrepPrintsWhatGNUDoes(t *testing.T) {
	patterns := []string{"abc", "-e a -e '^$'", "'[ab]c?'", "-F 'bc,'", "zzz", "''", "'c$'"}
	for i, flags := range []string{
		"", "-n", "-c", "-l", "-h", "-H", "-o", "-o -n -h", "-v", "-v -n", "-i", "-w", "-w -o -i", "-h -c", "-c -v",
		"-A 1", "-B 1 -n", "-C 2", "-C 1 -v -n", "-A 0", "-C 3 -B 1 -h", "-l -i", "-n -w -C 1 --color=always", "-o --color=always",
	} {
		for _, pattern := range []string{patterns[i%len(patterns)], patterns[(i+3)%len(patterns)]} {
			line := "grep -a " + flags + " " + pattern + " FILES"
			if !strings.Contains(pattern, "-F") {
				line = strings.Replace(line, "-a", "-a -E", 1)
			}
			t.Run(line, func(t *testing.T) { sameAsGNU(t, line, line, asItIs) })
		}
	}
}

// tarry run sort prints what GNU sort prints with the same flags.
func TestSortPrintsWhatGNUDoes(t *testing.T) {
	for _, flags := range []string{
		"", "-r", "-u", "-n", "-n -r", "-n -u", "-f", "-f -r", "-f -u", "-f -s", "-b", "-k2", "-t, -k2,2n", "-s -k1,1", "-t, -k1,1f -k2nr",
		"-k1.2,1.3f -r", "-b -n -s",
	} {
		line := "sort " + flags + " FILES"
		t.Run(line, func(t *testing.T) { sameAsGNU(t, line, line, asItIs) })
	}
}

// countsBehind returns the lines of uniq -c with the count at the end, after a tab.
func countsBehind(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		n, word, _ := strings.Cut(strings.TrimLeft(strings.TrimSuffix(line, "\n"), " "), " ")
		b.WriteString(word + "\t" + n + "\n")
	}
	return b.String()
}

// The jobs distinct, wordcount and scan print what pipes of GNU tools print.
func TestJobsPrintWhatPipesDo(t *testing.T) {
	for job, pipe := range map[string]string{
		"distinct FILES":           "sort FILES | uniq",
		"distinct --count FILES":   "sort FILES | uniq -c",
		"wordcount FILES":          "grep -a -h '' FILES | tr -s '[:space:]' '\\n' | grep -a . | sort | uniq -c",
		"scan --percent 100 FILES": "grep -a -h '' FILES | cat",
	} {
		shape := asItIs
		if strings.HasSuffix(pipe, "-c") {
			shape = countsBehind
		}
		t.Run(job, func(t *testing.T) { sameAsGNU(t, job, pipe, shape) })
	}
}
