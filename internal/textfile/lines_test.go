package textfile

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestEachLine(t *testing.T) {
	broken := iotest.ErrReader(errors.New("disk on fire"))
	for _, c := range []struct {
		r    io.Reader
		want string
	}{
		{strings.NewReader(""), "end 0: <nil>"},
		{strings.NewReader("\n \n"), "end 2: <nil>"},
		{strings.NewReader(ByteOrderMark + "a\r\r\n\n\t b #\n" + ByteOrderMark + "c"), "1 a|3 \t b #|4 " + ByteOrderMark + "c|end 4: <nil>"},
		{strings.NewReader("a\nb\xff\nc"), "1 a|end 2: not text: a NUL byte, or not UTF-8"},
		{strings.NewReader("a\n\x00"), "1 a|end 2: not text: a NUL byte, or not UTF-8"},
		{strings.NewReader("a\n" + strings.Repeat("b", 30)), "1 a|end 2: a line of more than 20 bytes"},
		{strings.NewReader("a\nstop\nb"), "1 a|2 stop|end 2: stopped"},
		{io.MultiReader(strings.NewReader("a\n\n"), broken), "1 a|end 3: disk on fire"},
	} {
		got := ""
		n, err := EachLine(c.r, 20, func(n int, line string) error {
			got += fmt.Sprintf("%d %s|", n, line)
			if line == "stop" {
				return errors.New("stopped")
			}
			return nil
		})
		require.Equal(t, c.want, got+fmt.Sprintf("end %d: %v", n, err))
	}
}
