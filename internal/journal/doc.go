// Package journal keeps a directory with a snapshot and, behind it, a log of records, for one
// process at a time, such that whoever is killed at any moment leaves what can be opened again.
//
// Snapshot and log are one file, log-00000007. A new snapshot is a new file, written under another
// name, synced and renamed; then the older one goes. The last file holds all there is.
//
// A file is a header and records:
//
//	header  "tarrylog", version u32, number of the file u32, CRC-32C u32 of these
//	record  f5 "rec", number u32, length u32, CRC-32C u32 of both and the payload, payload
//
// in little-endian order. Record 0 is the snapshot. A last record that is not whole, or whose sum is
// wrong with nothing valid behind it, is what a kill or a power cut leaves: it is cut off. Anything
// else that does not fit is an error that names file, offset and reason, and nothing is changed.
package journal
