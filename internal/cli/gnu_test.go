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

// requireGNU skips the test if the tools of this system are not GNU's.
func requireGNU(t *testing.T) {
	for _, tool := range []string{"grep", "sort"} {
		about, _ := exec.Command(tool, "--version").Output() // none where there is no such tool
		if !bytes.Contains(about, []byte("GNU")) {
			t.Skipf("%s is not installed, or is not GNU's", tool)
		}
	}
}

// sameAsGNU compares output and exit code of tarry run with those of a pipe of GNU tools in the C
// locale. Each input replaces the word FILES in both.
func sameAsGNU(t *testing.T, job, tools string) {
	t.Helper()
	for name, input := range gnuInputs() {
		t.Chdir(t.TempDir())
		var files []string
		for i, text := range input.files {
			files = append(files, fmt.Sprintf("f%d", i))
			write(t, files[i], text)
		}
		words := strings.NewReplacer("FILES", strings.Join(files, " "))
		cmd := exec.Command("sh", "-c", words.Replace(tools))
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		want, _ := cmd.Output() // the exit code is compared below
		code := cmd.ProcessState.ExitCode()
		if code == 1 && strings.HasPrefix(job, "grep") {
			code = exitNone
		}
		got := runHere(t, slices.Concat([]string{"run"}, splitWords(words.Replace(job)), input.blocks, []string{"-q"}), nil)
		require.Equal(t, code, got.code, "%s, %s: %s", job, name, got.errs)
		if string(want) != got.out {
			t.Errorf("%s, %s\nwant %.300q\ngot  %.300q", job, name, want, got.out)
		}
	}
}

// tarry run grep prints what GNU grep prints, and has its exit codes, except 4 if no line matches.
func TestGrepPrintsWhatGNUDoes(t *testing.T) {
	requireGNU(t)
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
			t.Run(line, func(t *testing.T) { sameAsGNU(t, line, line) })
		}
	}
}

// tarry run sort prints what GNU sort prints with the same flags.
func TestSortPrintsWhatGNUDoes(t *testing.T) {
	requireGNU(t)
	for _, flags := range []string{
		"", "-r", "-u", "-n", "-n -r", "-n -u", "-f", "-f -r", "-f -u", "-f -s", "-b", "-k2", "-t, -k2,2n", "-s -k1,1", "-t, -k1,1f -k2nr",
		"-k1.2,1.3f -r", "-b -n -s",
	} {
		line := "sort " + flags + " FILES"
		t.Run(line, func(t *testing.T) { sameAsGNU(t, line, line) })
	}
}

// The jobs distinct, wordcount and scan print what pipes of GNU tools print.
func TestJobsPrintWhatPipesDo(t *testing.T) {
	requireGNU(t)
	const countsBehind = ` | sed 's/^ *\([0-9]*\) \(.*\)$/\2\t\1/'`
	for job, pipe := range map[string]string{
		"distinct FILES":           "sort FILES | uniq",
		"distinct --count FILES":   "sort FILES | uniq -c" + countsBehind,
		"wordcount FILES":          `grep -a -h '' FILES | tr -s '[:space:]' '\n' | grep -a . | sort | uniq -c` + countsBehind,
		"scan --percent 100 FILES": "grep -a -h '' FILES | cat",
	} {
		t.Run(job, func(t *testing.T) { sameAsGNU(t, job, pipe) })
	}
}
