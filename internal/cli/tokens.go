package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/serve"
)

// tokensEvery is how often it is looked whether a file of tokens has changed.
const tokensEvery = 5 * time.Second

// watchTokens puts the tokens of --tokens in force again when the file changes, and at once when now
// gives something: all of them, or, if anything is wrong, none; then it says why, once for each
// content of the file, and looks again.
func (p *program) watchTokens(ctx context.Context, f *serveFlags, tokens *serve.Tokens, now <-chan os.Signal) {
	w := tokenWatch{name: f.tokens, seen: f.tokensSeen}
	tick := time.NewTicker(tokensEvery)
	defer tick.Stop()
	for {
		asked := false
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-now:
			asked = true
		}
		list, err := w.look(asked)
		switch {
		case err != nil:
			fmt.Fprintln(p.stderr, "tarry: the tokens are not reloaded, the old ones stay in force:", words.OneLine(err))
		case list != nil:
			tokens.Replace(list)
			if !f.quiet {
				fmt.Fprintln(p.stderr, "tarry: the tokens are reloaded")
			}
		}
	}
}

// tokenWatch looks at a file of tokens.
type tokenWatch struct {
	name string
	seen os.FileInfo // when it was read last; nil: it was not there
}

// look reads the file if it has changed, or always; nil and no error if there is nothing to do.
func (w *tokenWatch) look(always bool) (*serve.Tokens, error) {
	info, err := os.Stat(w.name)
	if err != nil {
		info = nil
	}
	if !always && w.same(info) {
		return nil, nil
	}
	w.seen = info
	return readTokens(w.name)
}

// same tells whether the file is as it was read last.
func (w *tokenWatch) same(info os.FileInfo) bool {
	if info == nil || w.seen == nil {
		return info == nil && w.seen == nil
	}
	return os.SameFile(info, w.seen) && info.ModTime().Equal(w.seen.ModTime()) && info.Size() == w.seen.Size() && info.Mode() == w.seen.Mode()
}
