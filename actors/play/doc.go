// Package play is what the playground in the browser asks: simulate this workload on this cluster
// under this policy, run that scenario. Requests and answers are JSON, so that the same code answers
// in a worker of a browser (actors/play/wasm) and in a program, byte for byte alike; a test holds that.
//
//	answer := play.Handle([]byte(`{"op":"run","setup":{"workload":"facebook-io","policy":"hfs"}}`), events)
//
// It reads no file, no clock and no network. Reading order: handle.go, setup.go, part.go.
package play
