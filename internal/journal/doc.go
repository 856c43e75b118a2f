// Package journal stores a snapshot and a log of later records in a directory, for one process at a
// time. A process killed at any moment leaves a journal that can be opened again.
//
// Snapshot and log are one file, such as log-00000007. A new snapshot is a new file, written under
// another name, synced and renamed; then the older file is removed. The last file contains the
// whole state.
//
// A file is a header and records:
//
//	header  "tarrylog", version u32, number of the file u32, CRC-32C u32 of these
//	record  f5 "rec", number u32, length u32, CRC-32C u32 of both and the payload, payload
//
// in little-endian order. Record 0 is the snapshot. A last record that is incomplete, or has a
// wrong checksum with nothing valid after it, is left by a kill or a power cut: it is cut off. Any
// other damage is an error with file, offset and reason, and nothing is changed.
package journal
