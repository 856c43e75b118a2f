//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangups gives the signals that ask for a reload. Meanwhile they do not end the program.
func hangups() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 1)
	hangupReloads.Store(true)
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() {
		signal.Stop(signals)
		hangupReloads.Store(false)
	}
}
