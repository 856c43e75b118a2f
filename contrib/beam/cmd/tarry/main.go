// Tarry with Beam's engines, prism and beam://HOST:PORT, beside the others of cmd/tarry.
package main

import (
	"os"

	"github.com/tarry-mr/tarry/actors/worker"
	_ "github.com/tarry-mr/tarry/contrib/beam"
	_ "github.com/tarry-mr/tarry/contrib/hdfs"
	_ "github.com/tarry-mr/tarry/contrib/s3"
	"github.com/tarry-mr/tarry/internal/cli"
)

func main() {
	worker.Main()
	os.Exit(cli.Main(os.Args[1:]))
}
