package jobs

import (
	"fmt"
	"os"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Count the occurrences of each value of a column.
func ExampleDistinctCount() {
	visits := mapreduce.Bytes("visits", []byte("ann\thome\nbob\thome\nann\tshop\n"))
	places := Table{Columns: []string{"2"}}
	in := places.Records([]mapreduce.Source{visits}, true)
	example(DistinctCount().Bind(in, mapreduce.Text[Count](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// home	2
	// shop	1
}

// List the files that contain a match.
func ExampleGrepFiles() {
	files := []mapreduce.Source{
		mapreduce.Bytes("fruit", []byte("apple\npear\n")), mapreduce.Bytes("trees", []byte("oak\nlime\n")),
		mapreduce.Bytes("both", []byte("pear\nlime\n")),
	}
	job, err := GrepFiles("pear|plum", GrepOptions{}, files...)
	if err != nil {
		fmt.Println(err)
		return
	}
	example(job.Bind(mapreduce.Chunks(files...), mapreduce.Raw[[]byte](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// fruit
	// both
}

// Write the output of the maps of a word count.
func ExampleMapsOnly() {
	text := mapreduce.Bytes("text", []byte("to be or\nnot to be\n"))
	example(MapsOnly(WordCount()).Bind(mapreduce.Lines(text), mapreduce.Text[Count](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// to	1
	// be	1
	// or	1
	// not	1
	// to	1
	// be	1
}
