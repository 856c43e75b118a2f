package limit

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
)

// writeBuffer is how many bytes are gathered before they are written: they stay in the cache until
// the kernel copies them.
const writeBuffer = 256 << 10

// writeParts writes n records in order to the files part-r-00000 … of directory dir, which it
// makes, each part with nearly the same number of records; the goroutines take parts as they come
// free. An empty dir discards: everything is gathered, nothing is written. appendRecords appends
// records [from, to) to buf.
func writeParts(
	dir string, n, parts, goroutines int, appendRecords func(buf []byte, from, to int) []byte,
) error {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	errs := make([]error, parts)
	var next atomic.Int64
	parallel(min(goroutines, parts), func(int) {
		buf := make([]byte, 0, 2*writeBuffer)
		for {
			p := int(next.Add(1)) - 1
			if p >= parts {
				return
			}
			errs[p] = writePart(dir, p, n*p/parts, n*(p+1)/parts, buf, appendRecords)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// writePart writes records [from, to) to part file p; buf is scratch.
func writePart(
	dir string, p, from, to int, buf []byte, appendRecords func([]byte, int, int) []byte,
) (err error) {
	var file *os.File
	if dir != "" {
		file, err = os.Create(filepath.Join(dir, fmt.Sprintf("part-r-%05d", p)))
		if err != nil {
			return err
		}
		defer func() {
			if cerr := file.Close(); err == nil {
				err = cerr
			}
		}()
	}
	const step = 256 // records between looks at the buffer
	buf = buf[:0]
	for ; from < to; from += step {
		buf = appendRecords(buf, from, min(from+step, to))
		if len(buf) < writeBuffer && from+step < to {
			continue
		}
		if file != nil {
			if _, err = file.Write(buf); err != nil {
				return err
			}
		}
		buf = buf[:0]
	}
	return nil
}
