// Command tarry is cmd/tarry with two more engines: Beam's prism, and Beam job servers (beam://).
package main

import (
	"github.com/tarry-mr/tarry/cmd"
	_ "github.com/tarry-mr/tarry/contrib/beam"
	_ "github.com/tarry-mr/tarry/contrib/hdfs"
	_ "github.com/tarry-mr/tarry/contrib/s3"
	"github.com/tarry-mr/tarry/scheduling"
)

func main() { cmd.Main(scheduling.Parts{}) }
