package bench

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/internal/gen"
)

// Setup contains the paths and sizes from which Contests makes the contests.
type Setup struct {
	Tarry, Limit, UserJobs string // the programs
	Inputs                 Inputs
	Size                   int64  // bytes of each input
	Memory                 string // a directory in memory, for results
	Spill                  string // a directory on disk, for spills and temporary files of GNU sort
	Cores                  int
}

// Literal and Regexp are the patterns of the grep contests. Both occur occasionally in real text.
const (
	Literal = "Shakespeare"
	Regexp  = `[Cc]omput(er|ing)s?\b`
)

// WordCountBudget is the memory budget of the WordCount that must spill.
const WordCountBudget = "128MiB"

// Contests returns all contests of a set-up, with the programs that are on this machine.
func Contests(s Setup) []Contest {
	in, text, tera := s.Inputs, s.Inputs.Real, s.tarry(Bytes, "terasort", s.Inputs.Tera)
	list := []Contest{
		s.wordCount("wordcount zipf", in.Zipf, false),
		s.wordCount("wordcount real", text, true),
		{Name: "terasort", Input: in.Tera, Fresh: 2 * s.Size, Programs: []Program{
			tera, s.limit(Bytes, "terasort", in.Tera), s.gnuSort(in.Tera, "8G"), tera.oneSlot(),
			s.oneCoreLimit(Bytes, "terasort", in.Tera),
			s.duck(Other, "", `SELECT line FROM `+duckLines(in.Tera)+` ORDER BY line`, ""), // a record is a line
		}},
		{Name: "sort lines", Input: in.Zipf, Fresh: 2 * s.Size, Programs: append([]Program{
			s.tarry(Bytes, "sort", in.Zipf), s.gnuSort(in.Zipf, "8G"),
		}, s.python(Bytes, in.Zipf, chdbSort, polarsSort)...)},
		{Name: "grep -c literal", Input: text, Programs: []Program{
			s.tarryCount("-F", Literal), ripgrep(Count, "-F", "-c", Literal, text), gnuGrep(Count, "-F", "-c", Literal, text),
		}},
		{Name: "grep -c regexp", Input: text, Programs: []Program{
			s.tarryCount(Regexp), ripgrep(Count, "-c", Regexp, text), gnuGrep(Count, "-E", "-c", Regexp, text),
		}},
		{Name: "grep literal", Input: text, Programs: []Program{
			s.tarryLines("-F", Literal), s.userJob("user's line by line", Bytes, "grep", text),
			ripgrep(Bytes, "--no-line-number", "-F", Literal, text), gnuGrep(Bytes, "-F", Literal, text),
		}},
	}
	for _, pattern := range gen.Patterns { // ripgrep is told that classes such as \w are ASCII, as in Go
		list = append(list, Contest{Name: patternContest(pattern), Input: text, Programs: []Program{
			s.tarryCount(pattern), ripgrep(Count, "-c", ofASCII.Replace(pattern), text),
		}})
	}
	list = append(list, s.queries()...)
	if in.Tera4 != "" { // an input of eight times the memory budget, such as 4 GiB in 512 MiB
		list = append(list, Contest{Name: "terasort in little memory", Input: in.Tera4, Bytes: 4 * s.Size, Programs: []Program{
			s.tarry(Bytes, "terasort", in.Tera4).with("tarry", "--memory", strconv.FormatInt(s.Size/2, 10)),
			s.gnuSort(in.Tera4, strconv.FormatInt(s.Size/2>>10, 10)+"K"),
		}})
	}
	for i := range list {
		if list[i].Bytes == 0 {
			list[i].Bytes = s.Size
		}
		list[i].Programs = slices.DeleteFunc(list[i].Programs, s.missing)
	}
	return list
}

// missing reports whether a program is a tool that this machine lacks. Our programs must be there.
func (s Setup) missing(p Program) bool {
	_, err := exec.LookPath(p.Args[0])
	return err != nil && !slices.Contains([]string{s.Tarry, s.Limit, s.UserJobs}, p.Args[0])
}

var ofASCII = strings.NewReplacer(`\w`, `(?-u:\w)`, `\d`, `(?-u:\d)`, `\s`, `(?-u:\s)`, `\b`, `(?-u:\b)`)

// patternContest returns the name of the contest of Tarry and ripgrep that search for a pattern.
func patternContest(pattern string) string { return "grep pattern " + pattern }

// out returns the directory in memory for a program's part files.
func (s Setup) out() string { return filepath.Join(s.Memory, "out") }

// tarry returns the program that runs a job by `tarry run`: a slot per core, the output in memory.
func (s Setup) tarry(kind ResultKind, job ...string) Program {
	return s.tarryMaps(kind, job...).with("tarry", "--reduce-slots", strconv.Itoa(s.Cores))
}

// tarryMaps is like tarry, for a job without reduces.
func (s Setup) tarryMaps(kind ResultKind, job ...string) Program {
	args := append([]string{s.Tarry, "run"}, job...)
	args = append(args, "-q", "--output", s.out(), "--map-slots", strconv.Itoa(s.Cores), "--spill-dir", s.Spill)
	return Program{Name: "tarry", Args: args, OutDir: s.out(), Result: kind}
}

// with returns the program under another name, with the flags replaced or added. Each flag is
// followed by its value.
func (p Program) with(name string, flags ...string) Program {
	p.Name = name
	p.Args = slices.Clone(p.Args)
	for pair := range slices.Chunk(flags, 2) {
		if at := slices.Index(p.Args, pair[0]); at >= 0 {
			p.Args[at+1] = pair[1]
		} else {
			p.Args = append(p.Args, pair...)
		}
	}
	return p
}

// oneSlot returns p with a single slot for maps and one for reduces.
func (p Program) oneSlot() Program {
	return p.with(p.Name+", 1 slot", "--map-slots", "1", "--reduce-slots", "1")
}

// noMatch is Tarry's exit status if no line matches.
const noMatch = 4

// tarryLines returns Tarry's grep with these arguments, in real text.
func (s Setup) tarryLines(args ...string) Program {
	p := s.tarryMaps(Bytes, append(append([]string{"grep"}, args...), s.Inputs.Real)...)
	p.Accept = noMatch
	return p
}

// tarryCount is like tarryLines, for the number of matching lines.
func (s Setup) tarryCount(args ...string) Program {
	p := s.tarry(Count, append(append([]string{"grep", "-c"}, args...), s.Inputs.Real)...).with("tarry", "--output", "-")
	p.OutDir, p.Accept = "", noMatch
	return p
}

// oneCoreLimit returns the limit's program with one goroutine. Compared with that on all cores, it
// shows how far programs scale on this machine.
func (s Setup) oneCoreLimit(kind ResultKind, args ...string) Program {
	s.Cores = 1
	return s.limit(kind, args...).with("limit, 1 core")
}

func (s Setup) limit(kind ResultKind, args ...string) Program {
	const perPart = 64 << 20 // as many part files as Tarry makes by default
	parts := min(max((s.Size+perPart-1)/perPart, 1), 64)
	program := append([]string{
		s.Limit, args[0], "-o", s.out(), "-j", strconv.Itoa(s.Cores), "-parts", strconv.FormatInt(parts, 10),
	}, args[1:]...)
	return Program{Name: "limit", Args: program, OutDir: s.out(), Result: kind}
}

// userJob returns a program that runs a job as users write it.
func (s Setup) userJob(name string, kind ResultKind, job string, inputs ...string) Program {
	args := append([]string{s.UserJobs, job}, inputs...)
	return Program{Name: name, Args: append(args, s.out()), OutDir: s.out(), Result: kind}
}

// wordCount returns the contest of WordCount on a text; tabs says that tabs separate words, too.
func (s Setup) wordCount(name, input string, tabs bool) Contest {
	tarry, kind := s.tarry(Lines, "wordcount", input), Lines
	if tabs {
		kind = Other // real text is not all UTF-8
	}
	return Contest{Name: name, Input: input, Fresh: s.Size / 2, Programs: append([]Program{
		tarry,
		s.limit(Lines, "wordcount", input),
		tarry.with("tarry "+WordCountBudget, "--memory", WordCountBudget),
		tarry.oneSlot(),
		s.oneCoreLimit(Lines, "wordcount", input),
		s.userJob("user's words", Lines, "words", input),
		s.userJob("user's strings", Lines, "strings", input),
		s.userJob("user's structs", Lines, "structs", input),
		s.userJob("user's byte loop", Lines, "wordcount", input),
		s.duckWordCount(input, tabs),
	}, s.python(kind, input, chdbWordCount, polarsWordCount)...)}
}

func (s Setup) gnuSort(input, buffer string) Program {
	return Program{
		Name:   "GNU sort",
		Args:   []string{"sort", "--parallel=2", "-S", buffer, "-T", s.Spill, input},
		Env:    []string{"LC_ALL=C"},
		Result: Bytes,
	}
}

// ripgrep and gnuGrep return these tools with arguments. With -a, both treat text with a NUL byte
// as text, as Tarry does.
func ripgrep(kind ResultKind, args ...string) Program {
	return Program{Name: "ripgrep", Args: append([]string{"rg", "-a", "--no-config"}, args...), Result: kind, Accept: 1}
}

func gnuGrep(kind ResultKind, args ...string) Program {
	return Program{
		Name: "GNU grep", Args: append([]string{"grep", "-a"}, args...), Env: []string{"LC_ALL=C"}, Result: kind, Accept: 1,
	}
}
