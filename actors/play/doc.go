// Package play answers the requests of the playground's page. It simulates a workload on a cluster
// under a policy, or runs a scenario. Requests and answers are JSON. In a browser
// (actors/play/wasm) the answers have the same bytes as in a Go program; a test verifies this.
//
//	answer := play.Handle([]byte(`{"op":"run","setup":{"workload":"facebook-io","policy":"hfs"}}`), events)
//
// It reads no file, no clock and no network. Reading order: handle.go, setup.go, part.go.
package play
