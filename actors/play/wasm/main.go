//go:build js && wasm

// Command wasm is package play as a module for browsers and Node: it sets the global function
// tarry(request, take) and waits. request is a JSON text; take is called with the side, 0 or 1, and a
// Uint8Array of whole lines of events; what is returned is the answer, a JSON text.
package main

import (
	"syscall/js"

	"github.com/tarry-mr/tarry/actors/play"
)

// portion is how many bytes of events are handed over at once.
const portion = 1 << 18

func main() {
	js.Global().Set("tarry", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var sink play.Sink
		var kept [2][]byte
		flush := func(side int) {
			if len(kept[side]) == 0 {
				return
			}
			bytes := js.Global().Get("Uint8Array").New(len(kept[side]))
			js.CopyBytesToJS(bytes, kept[side])
			args[1].Invoke(side, bytes)
			kept[side] = kept[side][:0]
		}
		if len(args) > 1 && args[1].Type() == js.TypeFunction {
			sink = func(side int, line []byte) {
				kept[side] = append(kept[side], line...)
				if len(kept[side]) >= portion {
					flush(side)
				}
			}
		}
		answer := play.Handle([]byte(args[0].String()), sink)
		flush(0)
		flush(1)
		return string(answer)
	}))
	select {}
}
