// Command build makes the playground's module: go generate ./play/site.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/tarry-mr/tarry/play/site"
)

func main() {
	out := flag.String("o", "module", "directory for the module")
	flag.Parse()
	if err := site.Build(context.Background(), ".", *out); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}
