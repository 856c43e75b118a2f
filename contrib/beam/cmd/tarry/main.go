// Command tarry is cmd/tarry with Beam's engines, prism and beam://HOST:PORT, in addition.
package main

import (
	"github.com/tarry-mr/tarry/cmd"
	_ "github.com/tarry-mr/tarry/contrib/beam"
	_ "github.com/tarry-mr/tarry/contrib/hdfs"
	_ "github.com/tarry-mr/tarry/contrib/s3"
	"github.com/tarry-mr/tarry/scheduling"
)

func main() { cmd.Main(scheduling.Parts{}) }
