//go:build !js || !wasm

package main

import "os"

// main of every other architecture says what this is for.
func main() {
	_, _ = os.Stderr.WriteString("this is the module of the playground: go generate ./play/site builds it for browsers\n")
	os.Exit(2)
}
