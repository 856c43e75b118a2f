package limit

import (
	"math/rand/v2"
	"testing"
)

// The programs on 16 MiB in memory, in bytes of input per second, to compare two versions of them.

func BenchmarkWordCount(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	text := []byte(randomText(random, "abcdefghijklmnopqrstuvwxyz      \n", 16<<20))
	measure(b, text, func() error {
		_, _, err := WordCount(text, 2, 2, "")
		return err
	})
}

func BenchmarkTeraSort(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	data := []byte(randomText(random, "0123456789abcdefghijklmnopqrstuvwxyz",
		16<<20/teraRecord*teraRecord))
	measure(b, data, func() error {
		_, err := TeraSort(data, 2, 2, "")
		return err
	})
}

func BenchmarkSortLines(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	text := []byte(randomText(random, "aabbccddeeffgghhiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz\n",
		16<<20))
	measure(b, text, func() error {
		_, err := SortLines(text, 2, 2, "")
		return err
	})
}

func measure(b *testing.B, input []byte, run func() error) {
	b.Helper()
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		if err := run(); err != nil {
			b.Fatal(err)
		}
	}
}
