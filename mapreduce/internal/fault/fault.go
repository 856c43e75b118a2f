// Package fault classifies the errors and panics of user code, and shortens them for messages.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// ErrExited is the error for user code that ended its goroutine by runtime.Goexit, as t.Fatal does
// in a test.
var ErrExited = errors.New("user code ended its goroutine (runtime.Goexit, as t.Fatal does)")

var (
	// ErrConsumed is the error of a second attempt over a stream, which can be read only once.
	ErrConsumed = errors.New("input stream can be read only once")
	// ErrCorruptInput is wrapped by errors about damaged or truncated compressed input.
	ErrCorruptInput = errors.New("corrupt or truncated input")
)

// permanentError is the result of Permanent: no further attempt can succeed after it.
type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// Permanent implements mapreduce.Permanent, which documents it.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

// badError is the result of Bad: one record causes the error and can be skipped.
type badError struct{ error }

func (e *badError) Unwrap() error { return e.error }

// Bad implements mapreduce.BadRecord, which documents it.
func Bad(err error) error {
	if err == nil {
		return nil
	}
	return &badError{err}
}

// IsBad implements cluster.IsBad, which documents it.
func IsBad(err error) bool {
	var b *badError
	return errors.As(err, &b)
}

// IsPermanent implements cluster.IsPermanent, which documents it.
func IsPermanent(err error) bool {
	var p *permanentError
	var lost *dfs.UnreadableError
	return errors.As(err, &lost) || errors.As(err, &p) || IsBad(err) || errors.Is(err, dfs.ErrChanged) ||
		errors.Is(err, ErrCorruptInput) || errors.Is(err, ErrConsumed) || errors.Is(err, memory.ErrRecordTooLarge)
}

// LongestText is the maximum length of an error's text in bytes; a longer text is cut. User code
// may put a whole record into one.
const LongestText = 512

// cutError is an error with another text, as its own is too long or panics.
type cutError struct {
	text string
	err  error
}

func (e *cutError) Error() string { return e.text }
func (e *cutError) Unwrap() error { return e.err }

// Present changes *err, an error of user code, for messages: it cuts a long text, and replaces one
// whose Error method panics. If ctx has ended, the result also wraps ctx.Err().
func Present(ctx context.Context, err *error) {
	if *err == nil {
		return
	}
	if ctx.Err() != nil && errors.Is(*err, context.Cause(ctx)) && !errors.Is(*err, ctx.Err()) {
		*err = fmt.Errorf("%w: %w", ctx.Err(), *err)
	}
	text, ok := errorText(*err)
	if !ok || len(text) > LongestText {
		*err = &cutError{CutText(text, LongestText), *err}
	}
}

// errorText returns err's text; if its Error method panics, a description of that and false.
func errorText(err error) (text string, ok bool) {
	defer func() {
		if v := recover(); v != nil {
			text, ok = fmt.Sprintf("%T, whose Error method panics: %v", err, v), false
		}
	}()
	return err.Error(), true
}

// CutText returns text or, if it is longer than n bytes, its first n bytes and its length.
func CutText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:n], len(text))
}

// HeadSize is the maximum number of bytes of a record in an error's text.
const HeadSize = 60

// Quoted returns head, the start of a text of size bytes, in quotes, and the size if it was cut.
func Quoted(head string, size int) string {
	if len(head) == size {
		return strconv.Quote(head)
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(head), size)
}

// QuotedText returns a text in quotes; a long one is cut, with a note of its size.
func QuotedText(text string) string { return Quoted(text[:min(len(text), HeadSize)], len(text)) }

// ValueText returns a key or value as text for an error, at most HeadSize bytes of it.
func ValueText(v any) string {
	switch v := v.(type) {
	case []byte:
		return Quoted(string(v[:min(len(v), HeadSize)]), len(v))
	case string:
		return QuotedText(v)
	}
	return CutText(fmt.Sprintf("%+v", v), HeadSize)
}

// InStore adds the file's URL to the error of a store: root, a slash, and the path in err. An error
// whose text has the URL already stays as it is.
func InStore(root string, err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s/%s: %w", root, strings.TrimPrefix(at.Path, "."), at.Err)
	}
	if strings.Contains(err.Error(), "://") {
		return err
	}
	return fmt.Errorf("%s/%w", root, err) // errors of globs begin with the name
}
