// Wordcount counts the words of files on a live cluster: wordcount OUT FILE...
package main

import (
	"context"
	"log"
	"os"

	"github.com/tarry-mr/tarry/actors"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

func main() {
	job := mr.Job[[]byte, []byte, int64, mr.Pair[[]byte, int64]]{
		Map: func(line []byte, emit func([]byte, int64)) error {
			for word := range mr.Fields(line) {
				emit(word, 1)
			}
			return nil
		},
		Sum: true,
	}
	files, err := mr.Files(os.Args[2:]...)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := job.Bind(mr.Lines(files...), mr.Text[mr.Pair[[]byte, int64]](mr.Dir(os.Args[1])))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := actors.Run(context.Background(), actors.Config{}, plan); err != nil {
		log.Fatal(err)
	}
}
