package limit

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// alphabets make texts in which the awkward cases are frequent: every separator, bytes beside the
// separators, NUL, bytes above 0x7f, words of every length around 8 and 16.
var alphabets = []string{
	"ab \n",
	"abcdefgh \t\n\v\f\r",
	"a\x00\x08\x0e\x1f!\x7f\x80\xa0\xff \n",
	"abcdefghijklmnopqrstuvwxyz                \n",
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxy \n",
}

// eachText calls f with edge cases and with random texts of each alphabet.
func eachText(t *testing.T, f func(t *testing.T, text string)) {
	t.Helper()
	for _, text := range []string{
		"", "\n", "a", "a\n", "\n\n\n", " ", "one two\none", "no newline at the end",
		"exactly8 exactly16bytes!! seventeen bytes!", strings.Repeat("x", 5000),
		"a\x00\na\na\x00\x00\n",
		strings.Repeat("a line that comes again and again\n", 5000),
		strings.Repeat(strings.Repeat("long", 5000)+"\n", 20) + "short\n",
		strings.Repeat("0123456789 ", 30000),
	} {
		f(t, text)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, alphabet := range alphabets {
		for _, size := range []int{1, 15, 16, 17, 18, 100, 4095, 4096, 100_000, 300_000} {
			f(t, randomText(random, alphabet, size))
		}
	}
}

func randomText(random *rand.Rand, alphabet string, size int) string {
	text := make([]byte, size)
	for i := range text {
		text[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(text)
}
