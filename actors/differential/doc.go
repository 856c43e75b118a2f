// Package differential has tests only: it runs jobs on a cluster and compares them with plain Go.
//
// The reference of each test is a map, a sort and a loop, written here. It is not
// mapreduce.RunLocal, which encodes, combines and merges with the code that is tested.
//
// Three kinds of tests complement each other:
//
//   - TestMatrix runs a job for each row of a table. Columns are the types of keys and values, the
//     shape of Combine, the forms of Map and Reduce, the input, the cluster and faults.
//     The rows have each pair of values of two columns. A seed decides all else, such as the
//     scheduler. The cluster may be RunLocal, or lose messages.
//   - TestPaths runs a case for each fast path of the engine. Built with -cover, it checks that the
//     case executed the code of the path.
//   - TestTurnover emits numbers of pairs at which the combiner empties or bypasses its buffers.
//     The numbers are fixed, not drawn.
//
// The other tests do the same for datasets, joins, files and the built-in jobs.
//
// To add a type, a combine function or a path, add a row: types to typesTable, a fold to the shapes
// of a value kind, a path to pathsTable.
//
//	make test LONG=1                                                  # minutes: more seeds, larger inputs
//	TARRY_CASE='types=...' go test -run TestMatrix ./actors/differential  # one row, as the line of a failure says
//
// Most tests are not built with the race detector, which would take minutes for the emits: make
// test runs TestMatrix under it, with few types and rows, and then all tests without it.
package differential
