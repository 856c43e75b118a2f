package limit

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	chunks(parts, 1, min(goroutines, parts), func(_, p, _ int) {
		errs[p] = writePart(dir, p, n*p/parts, n*(p+1)/parts, appendRecords)
	})
	return cmp.Or(errs...)
}

// writePart writes records [from, to) to part file p.
func writePart(dir string, p, from, to int, appendRecords func([]byte, int, int) []byte) (err error) {
	var file *os.File
	if dir != "" {
		file, err = os.Create(filepath.Join(dir, fmt.Sprintf("part-r-%05d", p)))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
	}
	const step = 256 // records between looks at the buffer
	buf := make([]byte, 0, 2*writeBuffer)
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
