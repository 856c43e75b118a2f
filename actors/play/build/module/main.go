// Command module makes the playground's module: go generate ./actors/play/site.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/tarry-mr/tarry/actors/play/build"
)

func main() {
	out := flag.String("o", "module", "directory for the module")
	flag.Parse()
	if err := build.Build(context.Background(), ".", *out); err != nil {
		fmt.Fprintln(os.Stderr, "module:", err)
		os.Exit(1)
	}
}
