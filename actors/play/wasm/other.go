//go:build !js || !wasm

// Command wasm is the WebAssembly module of the playground. Built for any other architecture, it
// only prints how to build the module.
package main

import "os"

// main prints how to build the module.
func main() {
	_, _ = os.Stderr.WriteString("this is the module of the playground: go generate ./actors/play/site builds it for browsers\n")
	os.Exit(2)
}
