package segment

import (
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// PartitionOf is the default partition of a key among n: xxhash64 modulo n.
func PartitionOf(key []byte, n int) int { return int(xxhash.Sum64(key) % uint64(n)) }

// The primes of xxhash64.
const (
	prime1 = 0x9e3779b185ebca87
	prime2 = 0xc2b2ae3d27d4eb4f
	prime3 = 0x165667b19e3779f9
	prime4 = 0x85ebca77c2b2ae63
	prime5 = 0x27d4eb2f165667c5
)

// PartitionOfNumber is PartitionOf for the key x in big-endian order, of width bytes, 1 to 8. It
// computes xxhash64 of 4 and 8 bytes in place: the library's call takes three times as long.
func PartitionOfNumber(x uint64, width, n int) int {
	h := uint64(prime5 + width)
	switch width {
	case 4:
		h ^= uint64(bits.ReverseBytes32(uint32(x))) * prime1
		h = bits.RotateLeft64(h, 23)*prime2 + prime3
	case 8:
		h ^= bits.RotateLeft64(bits.ReverseBytes64(x)*prime2, 31) * prime1
		h = bits.RotateLeft64(h, 27)*prime1 + prime4
	default:
		var key [8]byte
		binary.BigEndian.PutUint64(key[:], x)
		return PartitionOf(key[8-width:], n)
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	h ^= h >> 32
	if n&(n-1) == 0 { // a division takes as long as the rest
		return int(h & uint64(n-1))
	}
	return int(h % uint64(n))
}
