// Grep prints the lines of files that contain a text, and their number: grep TEXT FILE...
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"

	"github.com/tarry-mr/tarry/actors"
	mr "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

func main() {
	text := []byte(os.Args[1])
	job := mr.MapOnly[[]byte, []byte]{
		Map: func(line []byte, emit func([]byte)) error {
			if bytes.Contains(line, text) {
				emit(line)
			}
			return nil
		},
	}
	files, err := mr.Files(os.Args[2:]...)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := job.Bind(mr.Lines(files...), mr.Text[[]byte](mr.Writer("stdout", os.Stdout)))
	if err != nil {
		log.Fatal(err)
	}
	res, err := actors.Run(context.Background(), actors.Config{}, plan)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(os.Stderr, res.Counters.Get(counter.MapOutputRecords), "lines")
}
