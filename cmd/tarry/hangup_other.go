//go:build !unix

package main

import "os"

// hangups gives the signals that ask for a reload: there are none here.
func hangups() (signals chan os.Signal, stop func()) { return nil, func() {} }
