package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Exit codes of files are by what they are for: exitFailed for what a command reads as its input, exitConfig for configuration
// and for what cannot be made or written, exitUsage for wrong commands in a file of commands.

// openFile opens a file to read. Errors name it once.
func openFile(name string) (*os.File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, plainPathError(name, err)
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, plainPathError(name, &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR})
	}
	return file, nil
}

// readable says in words why one of the files cannot be opened.
func readable(names []string) error {
	for _, name := range names {
		file, err := openFile(name)
		if err != nil {
			return err
		}
		file.Close()
	}
	return nil
}

// asConfig is an error about the configuration, unless it has an exit code already.
func asConfig(err error) error {
	if _, known := errors.AsType[*exitError](err); known || err == nil {
		return err
	}
	return configError("%w", err)
}

// outputError is an error about a file or directory to be written: what cannot be made is configuration.
func outputError(name string, err error) error {
	var known *exitError
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrExist):
		return configError("%s: output exists (--overwrite replaces it)", name)
	case errors.As(err, &link):
		return configError("%s: %w", name, link.Err)
	case errors.As(err, &at) && at.Op != "write" && at.Op != "close":
		return configError("%s: %w", name, at.Err)
	}
	return err
}
