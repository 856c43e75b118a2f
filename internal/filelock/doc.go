// Package filelock locks files and directories against other processes.
package filelock
