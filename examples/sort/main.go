// Sort sorts lines of "name<TAB>number" by number, then name, into ordered parts: sort OUT FILE...
package main

import (
	"context"
	"log"
	"os"
	"strconv"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/worker"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

type score = mr.Pair[int64, string] // sorts by number, then by name

func main() {
	worker.Main() // TARRY_ON=processes:2 runs each task in a process of its own
	job := mr.Job[mr.Pair[[]byte, []byte], score, mr.None, mr.Pair[score, mr.None]]{
		Map: func(line mr.Pair[[]byte, []byte], emit func(score, mr.None)) error {
			n, err := strconv.ParseInt(string(line.Second), 10, 64)
			emit(mr.MakePair(n, string(line.First)), mr.None{})
			return err
		},
		TotalOrder: true, // without Reduce, the job writes every pair, in order of its key
		Reducers:   2,
	}
	files, err := mr.Files(os.Args[2:]...)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := job.Bind(mr.KeyValueLines('\t', files...), mr.Text[mr.Pair[score, mr.None]](mr.Dir(os.Args[1])))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := actors.Run(context.Background(), actors.Config{}, plan); err != nil {
		log.Fatal(err)
	}
}
