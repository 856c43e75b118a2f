package worker

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// printed is an engine whose job the user starts. It prints the command or manifest to
// Options.Print and waits until the reports of all tasks exist or an error is final.
type printed struct {
	what string // names the text in messages
	text func(j *job) ([]byte, error)
	// done reports whether all reports exist.
	done func(j *job) (bool, error)
}

// run prints the text and waits for the reports.
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
	tick := time.NewTicker(j.pollEvery())
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		if err := j.givenUp(); err != nil {
			return err
		}
		if done, err := p.done(j); done || err != nil {
			return err
		}
	}
}

// givenUp returns the job's error if a task has failed permanently or MaxAttempts times; otherwise
// nil.
func (j *job) givenUp() error {
	first := firstFailure(j.temp)
	if first == nil {
		return nil
	}
	if first.Permanent {
		return j.failed(nil)
	}
	count := map[string]int{}
	for _, n := range notesIn(j.temp) {
		if !n.failed {
			continue
		}
		if count[n.task]++; count[n.task] == j.maxAttempts() {
			return j.failed(errors.New("a task has failed as often as it may"))
		}
	}
	return nil
}

// maxAttempts returns after how many failures a task fails its job.
func (j *job) maxAttempts() int { return cmp.Or(j.o.MaxAttempts, 4) }

// streamingLine prints a command line for Hadoop Streaming.
var streamingLine = printed{
	what: "the line for Hadoop Streaming",
	text: func(j *job) ([]byte, error) {
		base, args, err := streamingJob(j)
		command := slices.Concat(base, args)
		for i, word := range command {
			command[i] = shellWord(word)
		}
		return []byte(strings.Join(command, " ") + "\n"), err
	},
	done: func(j *job) (bool, error) {
		files, err := j.tasks.list()
		return hasSuccess(files), err
	},
}

// hasSuccess reports whether Hadoop's committer is done with a folder: on a local disk it writes a
// checksum beside _SUCCESS, after it, as beside each part.
func hasSuccess[E interface{ Name() string }](files []E) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(files, func(f E) bool { return f.Name() == name })
	}
	sums := slices.ContainsFunc(files, func(f E) bool { return strings.HasSuffix(f.Name(), ".crc") })
	return has("_SUCCESS") && (!sums || has("._SUCCESS.crc"))
}

// shellWord quotes a word for a shell if necessary.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return quoted(word)
}
