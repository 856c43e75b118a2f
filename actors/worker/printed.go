package worker

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
)

// printed is an engine whose job the user starts. It prints the command or manifest to
// Options.Print and waits until all tasks have ended or an error is final.
type printed struct {
	what string // names the text in messages
	text func(j *job) ([]byte, error)
}

// run prints the text and waits for the tasks.
func (p printed) run(ctx context.Context, j *job) error {
	text, err := p.text(j)
	if err != nil {
		return err
	}
	to := j.o.Print
	if to == nil {
		to = os.Stdout
	}
	if _, err := to.Write(text); err != nil {
		return err
	}
	if c, ok := to.(io.Closer); ok { // readers such as kubectl wait for the end
		if err := c.Close(); err != nil {
			return err
		}
	}
	j.logf("%s is printed; waiting for its tasks, whose output comes to be when all have ended", p.what)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-j.done:
		return nil
	}
}

// streamingLine prints a command line for Hadoop Streaming.
var streamingLine = printed{
	what: "the line for Hadoop Streaming",
	text: func(j *job) ([]byte, error) {
		base, args, err := streamingJob(j)
		command := slices.Concat(base, args)
		for i, word := range command {
			if !plainWord().MatchString(word) {
				command[i] = quoted(word)
			}
		}
		return []byte(strings.Join(command, " ") + "\n"), err
	},
}

// plainWord matches the words that a shell reads as they are.
var plainWord = pattern(`^[\w./:=,@%+-]+$`)
