package gen

import (
	"strconv"
	"time"
)

// This file generates the tables of the benchmark of Pavlo et al. (SIGMOD 2009; Hive: HIVE-396).

// SearchPattern is the text that the benchmark's search job looks for. On average, one of 10,000
// records of Documents contains it.
const SearchPattern = "XYZ"

// patternEvery is the number of records of Documents of which one, on average, has SearchPattern.
const patternEvery = 10_000

// rankingBytes is the size of a record of Rankings; a piece has a whole number of them.
const rankingBytes = 64

// visitBytes is more than the maximum size of a record of Visits.
const visitBytes = 320

// newDocuments returns the fill for Documents: records of 100 bytes with a key of 10 characters, a
// value of 89 letters, digits and spaces, and a line feed.
func newDocuments(Config) fill {
	const keyBytes, alphabet = 10, "abcdefghijklmnopqrstuvwxyz0123456789 abcdefghijklmnopqrstuvwxyz "
	return func(buf []byte, n int, _ int64, r *rng) []byte {
		for ; n > 0; n -= recordBytes {
			at := len(buf)
			for i := 0; i < recordBytes-1; i += 8 {
				for bits, left := r.next(), min(8, recordBytes-1-i); left > 0; left-- {
					buf = append(buf, alphabet[bits%uint64(len(alphabet))])
					bits >>= 8
				}
			}
			if r.n(patternEvery) == 0 {
				copy(buf[at+keyBytes+r.n(recordBytes-keyBytes-len(SearchPattern)):], SearchPattern)
			}
			buf = append(buf, '\n')
		}
		return buf
	}
}

// newRankings returns the fill for Rankings: rows of 64 bytes with the address of a page, its rank
// and the time spent on it, separated by bars. A row depends only on its number.
func newRankings(Config) fill {
	return func(buf []byte, n int, piece int64, _ *rng) []byte {
		row := piece * (pieceBytes / rankingBytes)
		for ; n > 0; n -= rankingBytes {
			buf = append(appendRank(appendAddress(buf, row), row), '\n')
			row++
		}
		return buf
	}
}

// appendRank appends "|rank|seconds" for a page. Both depend only on the page's number. About one
// page in x+1 has a rank above x.
func appendRank(buf []byte, page int64) []byte {
	r := newRng(0, page)
	rank := min(1/(1-r.float()), 99_999)
	buf = strconv.AppendInt(append(buf, '|'), int64(rank), 10)
	return strconv.AppendInt(append(buf, '|'), int64(1+r.n(99)), 10)
}

// appendAddress appends the address of a page. It ends with as many letters x as make the page's
// row in Rankings 64 bytes long.
func appendAddress(buf []byte, page int64) []byte {
	end := len(buf) + rankingBytes - 1 - len(appendRank(nil, page))
	buf = append(buf, "http://www.example.com/"...)
	buf = append(strconv.AppendInt(buf, page, 10), '/')
	for len(buf) < end {
		buf = append(buf, 'x')
	}
	return buf
}

// clients is the number of client addresses, as in the benchmark.
const clients = 2_500_000

// newVisits returns the fill for Visits. Each row has nine columns, separated by bars: client's
// address, page, day, revenue, program, country, language, search word, seconds. The pages are
// those of the first rows of Rankings, with a Zipf distribution.
func newVisits(c Config) fill {
	pages := newZipf(c.Words, c.Skew)
	agents := []string{"Mozilla/5.0 (X11; Linux x86_64)", "Opera/9.80", "curl/8.8.0", "Lynx/2.8.9"}
	countries := []string{"DEU|de-DE", "FRA|fr-FR", "IND|hi-IN", "CHN|zh-CN", "USA|en-US", "VNM|vi-VN"}
	words := newVocabulary(1000, 0)
	first := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	const days = 20 * 365
	return func(buf []byte, n int, _ int64, r *rng) []byte {
		for row := []byte(nil); n > 0; {
			row = append(appendClient(row[:0], r.n(clients)), '|')
			row = append(appendAddress(row, int64(pages.draw(r))), '|')
			row = append(first.AddDate(0, 0, r.n(days)).AppendFormat(row, time.DateOnly), '|')
			row = append(strconv.AppendInt(row, int64(r.n(1000)), 10), '.')
			row = append(row, byte('0'+r.n(10)), byte('0'+r.n(10)), '|')
			row = append(row, agents[r.n(len(agents))]...)
			program := len(row)
			row = append(append(append(row, '|'), countries[r.n(len(countries))]...), '|')
			row = append(append(row, words.word(r.n(1000))...), '|')
			row = append(strconv.AppendInt(row, int64(1+r.n(10)), 10), '\n')
			last := n < len(row)+visitBytes
			if !last {
				buf, n = append(buf, row...), n-len(row)
				continue
			}
			buf = append(buf, row[:program]...) // the last row of a piece fills it with a longer program name
			for range n - len(row) {
				buf = append(buf, '+')
			}
			buf, n = append(buf, row[program:]...), 0
		}
		return buf
	}
}
