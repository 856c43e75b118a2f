package main

import (
	"context"
	"io"
	"os"
)

// program is what the commands share: where they read and write, and what the environment says.
type program struct {
	stdin  *os.File
	stdout io.Writer
	stderr io.Writer
	getenv func(string) (string, bool)

	display display // of progress
}

func main() {
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.LookupEnv}
	os.Exit(p.main(os.Args[1:]))
}

// main runs one command line and returns the exit code.
func (p *program) main(args []string) int {
	ctx, stop := p.withSignals(context.Background())
	defer stop()
	root := newRoot(p)
	root.SetArgs(args)
	return p.exit(ctx, root.ExecuteContext(ctx))
}
