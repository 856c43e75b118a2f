package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// batchJob is a line of a batch file.
type batchJob struct {
	jobFlags

	line   int
	at     time.Duration // since the batch began
	inputs []string
	stages []stage
	cmd    *cobra.Command // as it was called
}

// maxBatchJobs bounds the jobs of a batch.
const maxBatchJobs = 10_000

// readBatch reads the jobs of a batch file: a job a line, written as behind `tarry run`, after
// "at TIME" if it is to begin later. Errors name file and line.
func readBatch(name string, r io.Reader) ([]*batchJob, error) {
	var list []*batchJob
	var written outputs
	lines := bufio.NewScanner(r)
	n := 1
	for ; lines.Scan(); n++ {
		if len(list) == maxBatchJobs {
			return nil, usageError("%s:%d: more than %d jobs", name, n, maxBatchJobs)
		}
		line, err := splitWords(strings.TrimPrefix(lines.Text(), "\ufeff")) // the mark of some editors
		if err == nil && len(line) == 0 {
			continue
		}
		j := &batchJob{line: n}
		if err == nil {
			err = j.parse(line)
		}
		if err == nil {
			err = written.add(j.output, n)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		list = append(list, j)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, usageError("%s:%d: a line of more than %d bytes", name, n, bufio.MaxScanTokenSize)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(list) == 0 {
		return nil, usageError("%s: no job in it", name)
	}
	return list, nil
}

// parse understands the words of a line.
func (j *batchJob) parse(line []string) error {
	if line[0] == "at" {
		if len(line) < 2 {
			return usageError("at which time? want: at TIME JOB IN... -o OUT")
		}
		at, err := time.ParseDuration(line[1])
		if err != nil || at < 0 {
			return usageError("at %s: want a time such as 500ms or 2s", line[1])
		}
		j.at, line = at, line[2:]
	}
	root := &cobra.Command{
		Use: "run", SilenceErrors: true, SilenceUsage: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("which job?")
			}
			return usageError("unknown job %s%s", words.Quoted(args[0]), meant(cmd, args[0]))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	tarry := &cobra.Command{Use: "tarry", SilenceErrors: true, SilenceUsage: true}
	tarry.AddCommand(root)
	tarry.CompletionOptions.DisableDefaultCmd = true
	tarry.SetOut(io.Discard)
	tarry.SetErr(io.Discard)
	tarry.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, err, "") })
	root.AddCommand(jobCommands(new(program), func(cmd *cobra.Command, inputs []string, stages ...stage) error {
		j.cmd, j.inputs, j.stages = cmd, inputs, stages
		return nil
	})...)
	j.jobFlags.register(root)
	tarry.SetArgs(append([]string{"run"}, line...))
	if err := tarry.ExecuteContext(context.Background()); err != nil {
		return err
	}
	switch {
	case j.stages == nil: // help
		return usageError("%s is no job", line[0])
	case j.output == stdoutName:
		return usageError("where to? %s DIR: the jobs of batches and servers write to directories", outputFlag(j.cmd))
	}
	if slices.Contains(j.inputs, stdinName) {
		return usageError("-: the jobs of a batch read files")
	}
	return j.jobFlags.check()
}

// outputs tells which line of a batch writes where.
type outputs struct {
	lines map[string]int // by real path
	above map[string]int // by each directory that such a path is below
}

// add notes an output, unless it is that of another line, or one is in the other.
func (o *outputs) add(name string, line int) error {
	if o.lines == nil {
		o.lines, o.above = map[string]int{}, map[string]int{}
	}
	path := realPath(name)
	if other := o.lines[path]; other > 0 {
		return usageError("output %s is that of line %d already", words.Shown(name), other)
	}
	if other := o.above[path]; other > 0 {
		return usageError("output of line %d is within that of this line, %s", other, words.Shown(name))
	}
	o.lines[path] = line
	for at := filepath.Dir(path); ; at = filepath.Dir(at) {
		if other := o.lines[at]; other > 0 {
			return usageError("output %s is within that of line %d", words.Shown(name), other)
		}
		o.above[at] = line
		if filepath.Dir(at) == at {
			return nil
		}
	}
}

// splitWords cuts a line at white space. 'text' is taken as it stands, in "text" a backslash takes
// the meaning of the byte after it away, as it does outside of quotes; # at the start of a word
// begins a comment.
func splitWords(line string) ([]string, error) {
	var words []string
	var word []byte
	begun, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'':
			if i++; i == len(line) {
				return nil, usageError("a backslash at the end of the line")
			}
			word, begun = append(word, line[i]), true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word = append(word, c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case strings.IndexByte(" \t\r", c) >= 0:
			if begun {
				words, word, begun = append(words, string(word)), nil, false
			}
		case c == '#' && !begun:
			return words, nil
		default:
			word, begun = append(word, c), true
		}
	}
	if quote != 0 {
		return nil, usageError("a %c that is not closed", quote)
	}
	if begun {
		words = append(words, string(word))
	}
	return words, nil
}
