package scan

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plainFields returns the words that Fields must find: package bytes splits at isspace's bytes.
func plainFields(text []byte) [][]byte {
	return bytes.FieldsFunc(latin1(text), func(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) })
}

// latin1 widens each byte to a rune, so that bytes are not read as UTF-8.
func latin1(text []byte) []byte {
	var b []byte
	for _, c := range text {
		b = append(b, string(rune(c))...)
	}
	return b
}

func collect(each func([]byte, func([]byte) bool), text []byte) (out [][]byte) {
	each(text, func(w []byte) bool { out = append(out, w); return true })
	return out
}

func FuzzFields(f *testing.F) {
	for _, s := range []string{
		"", " ", "a", "word", "a b", "  two  words  ", "nul\x00byte \x1f\x7f\x80\xa0\xff", "crlf\r\nline\r\n",
		"a word that is longer than eight or sixteen bytes: incomprehensibilities", "\v\f\t\n",
		strings.Repeat("x", 100) + "\x01 y", strings.Repeat("words of many lengths, \x02\tsome short ", 9),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want := plainFields(text)
		got := collect(Fields, text)
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i], latin1(got[i]))
		}
		var words []string
		FieldStrings(string(text), func(w string) bool { words = append(words, w); return true })
		require.Len(t, words, len(got))
		for i := range got {
			require.Equal(t, string(got[i]), words[i])
		}
	})
}

func TestIsSpaceIsPOSIX(t *testing.T) {
	for c := range 256 {
		require.Equal(t, strings.IndexByte(" \t\n\v\f\r", byte(c)) >= 0, IsSpace(byte(c)), "%#x", c)
	}
}

// spaces finds each of the 256 bytes, beside any other: a carry would change a neighbor's bit.
func TestSpacesKnowsEveryByte(t *testing.T) {
	for c := range 256 {
		for d := range 256 {
			b := [block]byte{byte(c), byte(d), 7: byte(c), 8: byte(d), 63: byte(c)}
			m := spaces(&b)
			require.Equal(t, plainSpaces(&b), m)
			for i, x := range b {
				if IsSpace(x) != (m>>i&1 == 1) {
					t.Fatalf("byte %d of %v", i, b)
				}
			}
		}
	}
}

// The bytes before and after a text do not change its words, also where a text ends at the end of a
// page.
func TestFieldsLookAtTheirTextAlone(t *testing.T) {
	for _, around := range []string{"x", " ", "x "} {
		page := bytes.Repeat([]byte(around), 2*pageSize/len(around))
		for start := pageSize - block - 3; start < pageSize+3; start++ {
			for n := range block + 20 {
				text := page[start : start+n]
				copy(text, "a bc  def\tghijklmnopqrstuvwxyz\n0123456789012345678901234567890\r?")
				want := strings.Fields(string(text))
				got := collect(Fields, text)
				require.Len(t, got, len(want), "%d bytes at %d", n, start)
				for i := range want {
					require.Equal(t, want[i], string(got[i]))
				}
				copy(text, strings.Repeat(around, len(text)))
			}
		}
	}
}

func TestLastIndexByte(t *testing.T) {
	for _, n := range []int{0, 1, 2, lastStep - 1, lastStep, lastStep + 1, 2*lastStep + 7} {
		text := bytes.Repeat([]byte("x"), n)
		require.Equal(t, -1, LastIndexByte(text, '\n'))
		for at := range text {
			text[at] = '\n'
			require.Equal(t, at, LastIndexByte(text, '\n'))
			text[at/2] = '\n'
			require.Equal(t, at, LastIndexByte(text, '\n'))
			text[at], text[at/2] = 'x', 'x'
		}
	}
}

func benchmarkText() []byte {
	rng := rand.New(rand.NewPCG(1, 1))
	b := make([]byte, 1<<20)
	for i := range b {
		if b[i] = byte('a' + rng.IntN(26)); rng.IntN(6) == 0 {
			b[i] = " \n"[rng.IntN(12)/11]
		}
	}
	return b
}

func BenchmarkFields(b *testing.B) {
	text, n := benchmarkText(), 0
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Fields(text, func(w []byte) bool { n += len(w); return true })
	}
}

// Fields finds the words of texts of several blocks. A run of white space across two blocks gives
// no empty word, and a consumer that stops gets no more words.
func TestWordsOfLongTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{block - 1, block, block + 1, 2*block - 1, 2 * block, 3*block + 5}).Draw(t, "bytes")
		text := rapid.SliceOfN(rapid.SampledFrom([]byte("  \n\ta\xffz")), n, n).Draw(t, "text")
		want := plainFields(text)
		got := collect(Fields, text)
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i], latin1(got[i]))
			require.Equal(t, len(got[i]), cap(got[i]), "appending to a word writes into no other")
		}
		most := rapid.IntRange(1, len(want)+1).Draw(t, "most")
		seen := 0
		Fields(text, func([]byte) bool { seen++; return seen < most })
		require.Equal(t, min(most, len(want)), seen)
	})
}
