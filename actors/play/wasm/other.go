//go:build !js || !wasm

// Command wasm is the module of the playground; for this architecture it only says so.
package main

import "os"

// main of every other architecture says what this is for.
func main() {
	_, _ = os.Stderr.WriteString("this is the module of the playground: go generate ./actors/play/site builds it for browsers\n")
	os.Exit(2)
}
