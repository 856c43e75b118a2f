package gen

import (
	"strconv"
	"time"
)

// newTera returns the fill for Tera: a random key of 10 printable characters, the record's number
// in 32 hexadecimal digits between spaces, and a letter repeated up to the line feed.
func newTera(Config) fill {
	const keyBytes, digits = 10, 32
	return func(buf []byte, n int, piece int64, r *rng) []byte {
		row := piece * (pieceBytes / recordBytes)
		for ; n > 0; n -= recordBytes {
			buf = append(appendPrintable(buf, keyBytes, r), ' ', ' ')
			for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
				buf = append(buf, "0123456789ABCDEF"[uint64(row)>>shift&15]) // a shift of 64 or more gives 0
			}
			buf = append(buf, ' ', ' ')
			for range recordBytes - keyBytes - digits - 5 {
				buf = append(buf, byte('A'+row%26))
			}
			buf = append(buf, '\n')
			row++
		}
		return buf
	}
}

// newLog returns the fill for Log: lines in Apache's combined format, ten per second, with time
// continuing from piece to piece. Addresses, pages and agents are skewed as on a real site.
func newLog(c Config) fill {
	clients, pages := newZipf(5000, c.Skew), newZipf(2000, c.Skew)
	agents := []string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
		"curl/8.8.0",
		"examplebot/2.1 (+http://www.example.com/bot.html)",
	}
	status := []int{200, 200, 200, 200, 200, 200, 304, 301, 404, 500}
	const linesPerPiece, perSecond = 5000, 10 // a line has about 200 bytes
	return func(buf []byte, n int, piece int64, r *rng) []byte {
		line := make([]byte, 0, 512)
		for row := int64(0); n > 0; row++ {
			at := time.Unix(1_700_000_000+(piece*linesPerPiece+row)/perSecond, 0).UTC()
			line = line[:0]
			line = append(appendClient(line, clients.draw(r)), " - - ["...)
			line = at.AppendFormat(line, "02/Jan/2006:15:04:05 -0700")
			line = append(line, `] "GET /page/`...)
			line = strconv.AppendInt(line, int64(pages.draw(r)), 10)
			path := len(line)
			line = append(line, ` HTTP/1.1" `...)
			line = strconv.AppendInt(line, int64(status[r.n(len(status))]), 10)
			line = append(line, ' ')
			line = strconv.AppendInt(line, int64(100+r.n(100_000)), 10)
			line = append(line, ` "-" "`...)
			line = append(line, agents[r.n(len(agents))]...)
			line = append(line, '"', '\n')
			buf, n = appendLog(buf, line, path, n)
		}
		return buf
	}
}

// appendClient appends the address of a client: four numbers.
func appendClient(buf []byte, client int) []byte {
	bits := uint64(client) * 2654435761
	for i := range 4 {
		if i > 0 {
			buf = append(buf, '.')
		}
		buf = strconv.AppendInt(buf, int64(1+bits>>(8*i)&0xff%254), 10)
	}
	return buf
}

// appendLog appends a log line to a piece that still needs n bytes, and returns how many it needs
// then. If too few would remain for another line, this one is the last: appendLog lengthens it
// after index path, or cuts it.
func appendLog(buf, line []byte, path, n int) ([]byte, int) {
	const longest = 300
	switch {
	case n >= len(line)+longest:
		return append(buf, line...), n - len(line)
	case n >= len(line):
		buf = append(buf, line[:path]...)
		for range n - len(line) {
			buf = append(buf, 'x')
		}
		return append(buf, line[path:]...), 0
	default:
		return append(append(buf, line[:n-1]...), '\n'), 0
	}
}
