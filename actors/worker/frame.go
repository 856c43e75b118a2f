package worker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

const (
	// chunkBytes is the maximum length of a frame's data.
	chunkBytes = 1 << 20
	keyBytes   = 16
)

// frame is a piece of a map's output for a reduce. On the wire it is a key and a value, each
// preceded by its length (4 bytes), with all numbers big-endian: Hadoop's rawbytes. The key is
// partition, map, chunk and salt, 4 bytes each, so that sorting by key keeps the pieces in order.
type frame struct {
	partition, index, chunk uint32
	data                    []byte // at most chunkBytes
}

// errFrames is wrapped by errors about frames that no map can have written.
var errFrames = errors.New("damaged or truncated frames")

// appendHead appends everything of a frame except its data.
func (f *frame) appendHead(b []byte, reduces int) []byte {
	b = binary.BigEndian.AppendUint32(b, keyBytes)
	key := len(b)
	b = binary.BigEndian.AppendUint32(b, f.partition)
	b = binary.BigEndian.AppendUint32(b, f.index)
	b = binary.BigEndian.AppendUint32(b, f.chunk)
	b = salt(b, key, f.partition, reduces)
	return binary.BigEndian.AppendUint32(b, uint32(len(f.data)))
}

// salt appends 4 bytes to the key at b[key:] that make Hadoop's HashPartitioner choose the
// partition. BytesWritable's hash is h = 31h + b from 1, over signed bytes, and the reduce is (h &
// 0x7fffffff) % reduces. On average it needs as many tries as there are reduces.
func salt(b []byte, key int, partition uint32, reduces int) []byte {
	h := int32(1)
	for _, c := range b[key:] {
		h = 31*h + int32(int8(c))
	}
	for n := uint32(0); ; n++ {
		var s [4]byte
		binary.BigEndian.PutUint32(s[:], n)
		x := h
		for _, c := range s {
			x = 31*x + int32(int8(c))
		}
		if (uint32(x)&0x7fffffff)%uint32(reduces) == partition {
			return append(b, s[:]...)
		}
	}
}

// frames writes the frames of one map, partition by partition.
type frames struct {
	w       *bufio.Writer
	reduces int
	next    frame
	head    []byte
	written int64  // bytes
	ends    []byte // offsets at which the frames of each reduce end, 8 bytes each, big-endian
}

func newFrames(w io.Writer, index, reduces int) *frames {
	return &frames{
		w: bufio.NewWriterSize(w, 64<<10), reduces: reduces,
		next: frame{index: uint32(index), data: make([]byte, 0, chunkBytes)},
	}
}

// Write implements io.Writer.
func (f *frames) Write(p []byte) (n int, err error) {
	for n < len(p) {
		if len(f.next.data) == chunkBytes {
			if err := f.flush(); err != nil {
				return n, err
			}
		}
		k := min(len(p)-n, chunkBytes-len(f.next.data))
		f.next.data = append(f.next.data, p[n:n+k]...)
		n += k
	}
	return n, nil
}

func (f *frames) flush() error {
	f.head = f.next.appendHead(f.head[:0], f.reduces)
	f.written += int64(len(f.head) + len(f.next.data))
	_, err := f.w.Write(f.head)
	if err == nil {
		_, err = f.w.Write(f.next.data)
	}
	f.next.chunk++
	f.next.data = f.next.data[:0]
	return err
}

// end completes the partition. Later writes go to the next partition.
func (f *frames) end() error {
	err := f.flush()
	f.ends = binary.BigEndian.AppendUint64(f.ends, uint64(f.written))
	f.next.partition++
	f.next.chunk = 0
	return err
}

// readFrame reads a frame, into buf if that is large enough; after the last it returns io.EOF.
func readFrame(r io.Reader, buf []byte) (f frame, err error) {
	var b [4 + keyBytes + 4]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: a head is cut short", errFrames)
		}
		return f, err
	}
	number := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	f = frame{partition: number(4), index: number(8), chunk: number(12)}
	length := int64(number(4 + keyBytes))
	if number(0) != keyBytes || length > chunkBytes {
		return f, fmt.Errorf("%w: a key of %d and a value of %d bytes", errFrames, number(0), length)
	}
	f.data = slices.Grow(buf[:0], int(length))[:length]
	if _, err := io.ReadFull(r, f.data); err != nil {
		return f, fmt.Errorf("%w: the data of map %d for reduce %d is cut short: %w", errFrames, f.index, f.partition, err)
	}
	return f, nil
}
