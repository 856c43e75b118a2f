package bench

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strconv"
)

// Tables are the input files of joins and aggregates: a row per line, with columns separated by
// tabs.
type Tables struct {
	Sales  string // a group (one of 1,000), an item (one of 10,000), an amount below a million
	Orders string // a fifth as many rows as Sales: a user, an amount
	Users  string // a tenth as many rows as Orders: a user, each once, in random order, and a city
}

// rowsOf returns the number of rows of Sales that take about size bytes.
func rowsOf(size int64) int { return int(size / 21) }

// makeTables writes the tables to dir, except those that exist.
func makeTables(dir string, size int64, log io.Writer) (Tables, error) {
	rows := rowsOf(size)
	users := max(rows/50, 1)
	t := Tables{
		Sales:  filepath.Join(dir, fmt.Sprintf("sales-%d.tsv", rows)),
		Orders: filepath.Join(dir, fmt.Sprintf("orders-%d.tsv", rows/5)),
		Users:  filepath.Join(dir, fmt.Sprintf("users-%d.tsv", users)),
	}
	names := rand.New(rand.NewPCG(1, 0)).Perm(2 * users) // user numbers: half of them occur
	for _, file := range []struct {
		path string
		rows int
		row  func(rng *rand.Rand, i int, line []byte) []byte
	}{
		{t.Sales, rows, func(rng *rand.Rand, _ int, line []byte) []byte {
			line = append(strconv.AppendInt(append(line, 'g'), int64(rng.IntN(1000)), 10), '\t')
			line = append(strconv.AppendInt(line, int64(rng.IntN(10_000)), 10), '\t')
			return strconv.AppendInt(line, int64(rng.IntN(1_000_000)), 10)
		}},
		{t.Orders, rows / 5, func(rng *rand.Rand, _ int, line []byte) []byte {
			line = append(strconv.AppendInt(line, int64(rng.IntN(2*users)), 10), '\t')
			return strconv.AppendInt(line, int64(rng.IntN(1_000_000)), 10)
		}},
		{t.Users, users, func(rng *rand.Rand, i int, line []byte) []byte {
			line = append(strconv.AppendInt(line, int64(names[i]), 10), "\tcity"...)
			return strconv.AppendInt(line, int64(rng.IntN(5000)), 10)
		}},
	} {
		if err := makeFile(file.path, log, func(w io.Writer) error {
			rng := rand.New(rand.NewPCG(1, uint64(file.rows)))
			var line []byte
			for i := range file.rows {
				line = append(file.row(rng, i, line[:0]), '\n')
				if _, err := w.Write(line); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return t, err
		}
	}
	return t, nil
}
