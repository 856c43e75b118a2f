package fault

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// StackPlace implements cluster.StackPlace, which documents it.
func StackPlace(stack string) string {
	library := libraryRoot()
	lines := strings.Split(stack, "\n")
	for i := 1; i+1 < len(lines); i += 2 {
		function, at := lines[i], strings.TrimPrefix(lines[i+1], "\t")
		if strings.HasPrefix(function, "created by ") {
			break
		}
		at, _, _ = strings.Cut(at, " +0x")
		file, line, ok := cutLast(at, ":")
		name, _, called := cutLast(function, "(")
		if !ok || !called || Standard(file, library) || OfEngine(runtime.Frame{Function: name, File: file}) {
			continue
		}
		return fmt.Sprintf("%s/%s:%s", path.Base(path.Dir(file)), path.Base(file), line)
	}
	return ""
}

// libraryRoot returns the directory of the standard library's sources; "" with -trimpath.
func libraryRoot() string {
	pc := make([]uintptr, 1)
	f, _ := runtime.CallersFrames(pc[:runtime.Callers(0, pc)]).Next() // runtime.Callers itself
	root, _, _ := strings.Cut(f.File, "runtime/extern.go")
	return root
}

// cutLast is strings.Cut around the last sep in s; found is false without one.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
