package output

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// closable is a file in memory.
type closable struct{ bytes.Buffer }

func (*closable) Close() error { return nil }

// If an attempt ends while its part has bytes in a buffer, Close returns an error, so that the part
// is not committed without them.
func TestEndOfAnAttemptBeforeTheLastFlush(t *testing.T) {
	for _, compression := range []Compression{NoCompression, Zstd} {
		file := &closable{}
		w := must((&Committer{compression: compression}).writer(Part{}, func(Part) (io.WriteCloser, error) { return file, nil }))(t)
		ended := errors.New("the attempt ended")
		w.Check = func() error { return ended }
		w.Buf = append(w.Buf, "the last records"...)
		require.ErrorIs(t, w.Close(), ended)
		require.NotContains(t, file.String(), "records")
	}
}
