package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

const (
	magic      = "tarrylog"
	version    = 2
	headerSize = len(magic) + 12
	mark       = "\xf5rec" // JSON never contains this byte
	frameSize  = len(mark) + 12
	maxPayload = 1 << 30
)

// ErrCorrupt is wrapped by the error for a log that is damaged before its end.
var ErrCorrupt = errors.New("corrupt")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header returns the header of a file. Its form is the same in all versions.
func header(number uint32) []byte { return headerOf(version, number) }

func headerOf(version, number uint32) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(magic), version)
	b = binary.LittleEndian.AppendUint32(b, number)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// appendRecord appends a record.
func appendRecord(b []byte, number uint32, payload []byte) []byte {
	b = append(b, mark...)
	at := len(b)
	b = binary.LittleEndian.AppendUint32(b, number)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	sum := crc32.Update(crc32.Checksum(b[at:], castagnoli), castagnoli, payload)
	b = binary.LittleEndian.AppendUint32(b, sum)
	return append(b, payload...)
}

// fault returns an error that wraps ErrCorrupt and names the offset of the damage.
func fault(offset int, format string, args ...any) error {
	return fmt.Errorf("offset %d: %w: %s", offset, ErrCorrupt, fmt.Sprintf(format, args...))
}

// checkHeader verifies the header of a file.
func checkHeader(data []byte, number uint32) error {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return fault(0, "no log of tarry")
	}
	at := len(magic)
	if sum := binary.LittleEndian.Uint32(data[at+8:]); sum != crc32.Checksum(data[:at+8], castagnoli) {
		return fault(at+8, "the sum of the header is wrong")
	}
	if v := binary.LittleEndian.Uint32(data[at:]); v != version {
		return fmt.Errorf("format %d, this program reads format %d: go on with the version of tarry that wrote it, or use an empty directory", v, version)
	}
	if n := binary.LittleEndian.Uint32(data[at+4:]); n != number {
		return fault(at+4, "it says that it is log %d", n)
	}
	return nil
}

// readRecord returns the payload of the record at the start of data; why is "" if it is valid.
func readRecord(data []byte, number uint32) (payload []byte, why string) {
	if len(data) < frameSize {
		return nil, "a record that is not whole"
	}
	if string(data[:len(mark)]) != mark {
		return nil, "no record begins here"
	}
	head := data[len(mark):frameSize]
	n, size, sum := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint32(head[8:])
	switch {
	case size > maxPayload || int(size) > len(data)-frameSize:
		return nil, "a record that is not whole"
	case crc32.Update(crc32.Checksum(head[:8], castagnoli), castagnoli, data[frameSize:frameSize+int(size)]) != sum:
		return nil, "the sum of a record is wrong"
	case n != number:
		return nil, fmt.Sprintf("record %d where %d is due", n, number)
	}
	return data[frameSize : frameSize+int(size)], ""
}

// valid reports whether a valid record, with any number, begins anywhere in data.
func valid(data []byte) bool {
	for {
		at := bytes.Index(data, []byte(mark))
		if at < 0 || len(data) < at+frameSize {
			return false
		}
		data = data[at:]
		if _, why := readRecord(data, binary.LittleEndian.Uint32(data[len(mark):])); why == "" {
			return true
		}
		data = data[1:]
	}
}

// parse returns the records of a file, record 0 first, as slices of data. The first `whole` bytes
// of data are valid; the rest is a last record that a kill or power cut left incomplete.
func parse(data []byte, number uint32) (records [][]byte, whole int, err error) {
	if err := checkHeader(data, number); err != nil {
		return nil, 0, err
	}
	at := headerSize
	for at < len(data) {
		payload, why := readRecord(data[at:], uint32(len(records)))
		if why == "" {
			records = append(records, payload)
			at += frameSize + len(payload)
			continue
		}
		if len(records) == 0 || valid(data[at:]) {
			return nil, 0, fault(at, "%s", why)
		}
		break
	}
	if len(records) == 0 {
		return nil, 0, fault(at, "the snapshot is missing")
	}
	return records, at, nil
}
