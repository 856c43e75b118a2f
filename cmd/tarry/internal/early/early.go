// Package early catches the signals that end the program. It imports next to nothing, so that it is
// ready before the packages that take milliseconds to set up: a signal in that time ends the
// program with its exit code, too.
package early

import (
	"os"
	"os/signal"
	"syscall"
)

// Signals has the signals that have come: SIGINT, SIGTERM and, unless the program was started to
// ignore it, SIGHUP.
var Signals = catch()

// catch also makes a write to standard output that nobody reads any more fail with EPIPE, instead
// of ending the process at once.
func catch() <-chan os.Signal {
	signal.Ignore(syscall.SIGPIPE)
	c := make(chan os.Signal, 16)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup does
		signal.Notify(c, syscall.SIGHUP)
	}
	return c
}
