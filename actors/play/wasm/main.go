//go:build js && wasm

// Command wasm is package play as a WebAssembly module for browsers and Node: it sets the global
// JavaScript function tarry(request, take) and waits. request and the result are those of
// play.Handle. tarry calls take(side, lines), if given, with events: lines is a Uint8Array of whole
// lines, and side is that of play.Sink.
package main

import (
	"syscall/js"

	"github.com/tarry-mr/tarry/actors/play"
)

// portion is the number of buffered bytes of events at which take is called, so that not every
// event costs a call of JavaScript.
const portion = 1 << 18

// main defines the JavaScript function tarry, which buffers the events of each side before take.
func main() {
	js.Global().Set("tarry", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var sink play.Sink
		var buffered [2][]byte
		flush := func(side int) {
			if len(buffered[side]) == 0 {
				return
			}
			bytes := js.Global().Get("Uint8Array").New(len(buffered[side]))
			js.CopyBytesToJS(bytes, buffered[side])
			args[1].Invoke(side, bytes)
			buffered[side] = buffered[side][:0]
		}
		if len(args) > 1 && args[1].Type() == js.TypeFunction {
			sink = func(side int, line []byte) {
				buffered[side] = append(buffered[side], line...)
				if len(buffered[side]) >= portion {
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
