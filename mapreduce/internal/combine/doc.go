// Package combine is the map side's hash table with a combiner, and the reduce
// side's merge of such tables.
//
// A [Table] takes the (key, value) pairs an attempt emits and folds the values
// of equal keys together at once, so that an attempt's output is one record a
// distinct key. In memory the output is not sorted: a [Segment] hands the
// table's entries over as they are, and a [Merge] joins the segments of one
// partition in a table of its own and sorts the distinct keys once. Over budget
// a table drains as a sorted, compressed run of package segment.
package combine
