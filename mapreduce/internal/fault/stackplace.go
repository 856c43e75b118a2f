package fault

import (
	"cmp"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
)

// userCall returns the innermost call, in a stack of one goroutine as [runtime.Stack] writes it, of
// a function outside of the standard library and this engine: its place, such as
// "words/count.go:17", and its full name, empty if there is none. With panicked, it ignores the
// calls that the panic or the end of the goroutine has caused. first is the place of the first
// other call.
func userCall(stack string, panicked bool) (place, function, first string) {
	library, lines := libraryRoot(), strings.Split(stack, "\n")
	for i, at := range lines {
		if strings.HasPrefix(at, "created by ") {
			break
		}
		at, isPlace := strings.CutPrefix(at, "\t")
		at, _, _ = strings.Cut(at, " +0x")
		file, hasLine := beforeLast(at, ":")
		if !isPlace || !hasLine || i == 0 {
			continue
		}
		place := path.Base(path.Dir(at)) + "/" + path.Base(at)
		function, _ := beforeLast(lines[i-1], "(")
		switch {
		case function == "panic" || function == "runtime.Goexit":
			panicked = false
		case panicked || strings.HasPrefix(function, "runtime."):
		case !isStandard(file, library) && !ofEngine(function, file):
			return place, function, first
		default:
			first = cmp.Or(first, place)
		}
	}
	return "", "", first
}

// StackPlace implements cluster.StackPlace, which documents it.
func StackPlace(stack string) string {
	place, _, _ := userCall(stack, false)
	return place
}

// UserCaller returns the nearest caller that is neither in the standard library nor in this engine:
// its place, such as "words/count.go:17", and its full name, empty if there is none.
func UserCaller() (place, function string) {
	place, function, _ = userCall(string(debug.Stack()), false)
	return cmp.Or(place, "unknown place"), function
}

// panicPlace returns the place in user code that panicked or ended its goroutine, in the stack of a
// function deferred there; without user code, that of the first function.
func panicPlace(stack string) string {
	place, _, first := userCall(stack, true)
	return cmp.Or(place, first)
}

// isStandard reports whether a source file belongs to the standard library, whose sources are in
// directory library. With -trimpath that is "", and other files begin with their module's name.
func isStandard(file, library string) bool {
	if library != "" {
		return strings.HasPrefix(file, library)
	}
	module, _, _ := strings.Cut(file, "/")
	return !strings.Contains(module, ".")
}

// ofEngine reports whether a function belongs to this engine. The engine's tests are user code.
func ofEngine(function, file string) bool {
	const module = "github.com/tarry-mr/tarry/"
	rest, ok := strings.CutPrefix(function, module)
	if !ok || strings.HasSuffix(file, "_test.go") {
		return false
	}
	for _, p := range []string{"mapreduce", "dfs", "scheduling"} {
		if strings.HasPrefix(rest, p+".") || strings.HasPrefix(rest, p+"/") {
			return true
		}
	}
	return strings.HasPrefix(rest, "actors.") || strings.HasPrefix(rest, "actors/worker.")
}

// libraryRoot returns the directory of the standard library's sources; "" with -trimpath.
func libraryRoot() string {
	pc := make([]uintptr, 1)
	f, _ := runtime.CallersFrames(pc[:runtime.Callers(0, pc)]).Next() // runtime.Callers itself
	root, _, _ := strings.Cut(f.File, "runtime/extern.go")
	return root
}

// beforeLast returns what precedes the last sep in s; without one it returns s and false.
func beforeLast(s, sep string) (before string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], true
	}
	return s, false
}
