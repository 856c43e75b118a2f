// Command module builds the playground's WebAssembly module; go generate ./actors/play/site runs
// it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/tarry-mr/tarry/actors/play/build"
)

func main() {
	out := flag.String("o", "module", "write the WebAssembly module and its loader into this directory")
	flag.Parse()
	if err := build.Build(context.Background(), ".", *out); err != nil {
		fmt.Fprintln(os.Stderr, "module:", err)
		os.Exit(1)
	}
}
