package limit

import (
	"math/rand/v2"
	"testing"
)

// The programs on 16 MiB in memory, in bytes of input per second, to compare two versions of them.
func BenchmarkPrograms(b *testing.B) {
	const characters = "0123456789abcdefghijklmnopqrstuvwxyz"
	const size, records = 16 << 20, 16 << 20 / teraRecord
	for _, program := range []struct {
		name, alphabet string
		size           int
		run            func(data []byte) error
	}{
		{"WordCount", characters[10:] + "      \n", size, func(data []byte) error {
			_, _, err := WordCount(data, 2, 2, "")
			return err
		}},
		{"TeraSort", characters, records * teraRecord, func(data []byte) error {
			_, err := TeraSort(data, 2, 2, "")
			return err
		}},
	} {
		b.Run(program.name, func(b *testing.B) {
			data := []byte(randomText(rand.New(rand.NewPCG(1, 1)), program.alphabet, program.size))
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := program.run(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
