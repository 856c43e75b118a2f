//go:build js && wasm

// Command wasm is package play as a WebAssembly module for browsers and Node: it sets the global
// JavaScript function tarry(request, take) and waits. tarry returns the answer of play.Handle to
// request. If take is given, tarry calls take(side, lines) with the events: lines is a Uint8Array
// of whole lines, side is that of play.Sink.
package main

import (
	"syscall/js"

	"github.com/tarry-mr/tarry/actors/play"
)

// portion is the number of bytes of events that main collects before it calls take. A call for each
// event would be slow.
const portion = 1 << 18

// main defines the JavaScript function tarry and waits for ever.
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
