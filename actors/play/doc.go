// Package play answers the requests of the playground's page: it simulates a workload on a cluster
// under a policy, or runs a scenario. Requests and answers are JSON. A browser's worker
// (actors/play/wasm) and a Go program get the same bytes; a test verifies that.
//
//	answer := play.Handle([]byte(`{"op":"run","setup":{"workload":"facebook-io","policy":"hfs"}}`), events)
//
// It reads no file, no clock and no network. Reading order: handle.go, setup.go, part.go.
package play
