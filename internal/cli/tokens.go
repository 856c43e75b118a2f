package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// tokensEvery is how often it is looked whether a file of tokens has changed.
const tokensEvery = 5 * time.Second

// tokenWatch puts the tokens of --tokens in force again when the file changes: all of them, or, if
// anything is wrong, none.
type tokenWatch struct {
	program *program
	flags   *serveFlags
	tokens  *serve.Tokens // in force; nil: there are none
}

// run looks at the file now and then until ctx ends, and at once when now gives something; what is
// wrong is said once for each content of the file.
func (w *tokenWatch) run(ctx context.Context, now <-chan os.Signal) {
	if w.tokens == nil {
		return
	}
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
		list, err := w.flags.readTokens(asked)
		switch {
		case err != nil:
			fmt.Fprintln(w.program.stderr, "tarry: the tokens are not reloaded, the old ones stay in force:", words.OneLine(err))
		case list != nil:
			w.tokens.Replace(list)
			if !w.flags.quiet {
				fmt.Fprintln(w.program.stderr, "tarry: the tokens are reloaded")
			}
		}
	}
}

// readTokens reads the file of tokens, which nobody else may read; nil and no error if it is as it was
// read last, unless always is set.
func (f *serveFlags) readTokens(always bool) (list *serve.Tokens, err error) {
	now := ""
	defer func() {
		if err != nil {
			now += err.Error()
		}
		if !always && now == f.read {
			list, err = nil, nil
		}
		f.read = now
	}()
	info, err := os.Stat(f.tokens)
	if err != nil {
		return nil, plainPathError(f.tokens, err)
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" { // where a mode does not tell
		return nil, configError("%s: others may read it (chmod 600)", f.tokens)
	}
	text, err := os.ReadFile(f.tokens)
	if err != nil {
		return nil, plainPathError(f.tokens, err)
	}
	now = string(text)
	return serve.ParseTokens(f.tokens, strings.NewReader(now))
}
