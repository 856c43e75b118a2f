package bench

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
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
	contests := []Contest{
		s.wordCount("wordcount zipf", s.Inputs.Zipf, false),
		s.wordCount("wordcount real", s.Inputs.Real, true),
		s.teraSort(),
		s.sortLines(),
		s.grepCount("grep -c literal", "-F", Literal),
		s.grepCount("grep -c regexp", "-E", Regexp),
		s.grepLines(),
	}
	contests = append(contests, s.grepPatterns()...)
	contests = append(contests, s.queries()...)
	if s.Inputs.Tera4 != "" {
		contests = append(contests, s.bigTeraSort())
	}
	return contests
}

// tarry returns the program that runs a job by `tarry run`: a slot per core, the output in memory.
func (s Setup) tarry(kind ResultKind, job ...string) Program {
	return s.tarryMaps(kind, job...).with("tarry", "--reduce-slots", strconv.Itoa(s.Cores))
}

// tarryMaps is like tarry, for a job without reduces.
func (s Setup) tarryMaps(kind ResultKind, job ...string) Program {
	out := filepath.Join(s.Memory, "out")
	slots := strconv.Itoa(s.Cores)
	args := append([]string{s.Tarry, "run"}, job...)
	args = append(args, "-q", "--output", out, "--map-slots", slots, "--spill-dir", s.Spill)
	return Program{Name: "tarry", Args: args, OutDir: out, Result: kind}
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

// oneCoreLimit returns the limit's program with one goroutine. Compared with that on all cores, it
// shows how far programs scale on this machine.
func (s Setup) oneCoreLimit(kind ResultKind, args ...string) Program {
	s.Cores = 1
	return s.limit(kind, args...).with("limit, 1 core")
}

func (s Setup) limit(kind ResultKind, args ...string) Program {
	out := filepath.Join(s.Memory, "out")
	const perPart = 64 << 20 // as many part files as Tarry makes by default
	parts := min(max((s.Size+perPart-1)/perPart, 1), 64)
	program := append([]string{
		s.Limit, args[0], "-o", out, "-j", strconv.Itoa(s.Cores), "-parts",
		strconv.FormatInt(parts, 10),
	}, args[1:]...)
	return Program{Name: "limit", Args: program, OutDir: out, Result: kind}
}

// userJob returns a program that runs a job as users write it.
func (s Setup) userJob(name string, kind ResultKind, job string, inputs ...string) Program {
	out := filepath.Join(s.Memory, "out")
	args := append([]string{s.UserJobs, job}, inputs...)
	return Program{Name: name, Args: append(args, out), OutDir: out, Result: kind}
}

// wordCount returns the contest of WordCount on a text; tabs says that tabs separate words, too.
func (s Setup) wordCount(name, input string, tabs bool) Contest {
	tarry := s.tarry(Lines, "wordcount", input)
	c := Contest{Name: name, Input: input, Bytes: s.Size, Fresh: s.Size / 2, Programs: []Program{
		tarry,
		s.limit(Lines, "wordcount", input),
		tarry.with("tarry "+WordCountBudget, "--memory", WordCountBudget),
		tarry.oneSlot(),
		s.oneCoreLimit(Lines, "wordcount", input),
		s.userJob("user's words", Lines, "words", input),
		s.userJob("user's strings", Lines, "strings", input),
		s.userJob("user's structs", Lines, "structs", input),
		s.userJob("user's byte loop", Lines, "wordcount", input),
	}}
	c.Programs = append(c.Programs,
		s.installed(duckWordCount(input, filepath.Join(s.Memory, "duck.csv"), tabs))...)
	kind := Lines
	if tabs {
		kind = Other // real text is not all UTF-8
	}
	c.Programs = append(c.Programs, s.python(kind, input, chdbWordCount, polarsWordCount)...)
	return c
}

func (s Setup) teraSort() Contest {
	tarry := s.tarry(Bytes, "terasort", s.Inputs.Tera)
	c := Contest{
		Name: "terasort", Input: s.Inputs.Tera, Bytes: s.Size, Fresh: 2 * s.Size,
		Programs: []Program{
			tarry,
			s.limit(Bytes, "terasort", s.Inputs.Tera),
			s.gnuSort(s.Inputs.Tera, "8G"),
			tarry.oneSlot(),
			s.oneCoreLimit(Bytes, "terasort", s.Inputs.Tera),
		},
	}
	c.Programs = append(c.Programs,
		s.installed(duckTeraSort(s.Inputs.Tera, filepath.Join(s.Memory, "duck.csv")))...)
	return c
}

// bigTeraSort returns the contest of sorting an input of eight times the memory budget, such as
// 4 GiB in 512 MiB.
func (s Setup) bigTeraSort() Contest {
	budget := strconv.FormatInt(s.Size/2, 10)
	return Contest{
		Name: "terasort in little memory", Input: s.Inputs.Tera4, Bytes: 4 * s.Size,
		Programs: []Program{
			s.tarry(Bytes, "terasort", s.Inputs.Tera4).with("tarry", "--memory", budget),
			s.gnuSort(s.Inputs.Tera4, strconv.FormatInt(s.Size/2>>10, 10)+"K"),
		},
	}
}

func (s Setup) sortLines() Contest {
	return Contest{
		Name: "sort lines", Input: s.Inputs.Zipf, Bytes: s.Size, Fresh: 2 * s.Size,
		Programs: append([]Program{
			s.tarry(Bytes, "sort", s.Inputs.Zipf),
			s.limit(Bytes, "sort", s.Inputs.Zipf),
			s.gnuSort(s.Inputs.Zipf, "8G"),
		}, s.python(Bytes, s.Inputs.Zipf, chdbSort, polarsSort)...),
	}
}

func (s Setup) gnuSort(input, buffer string) Program {
	return Program{
		Name:   "GNU sort",
		Args:   []string{"sort", "--parallel=2", "-S", buffer, "-T", s.Spill, input},
		Env:    []string{"LC_ALL=C"},
		Result: Bytes,
	}
}

// grepCount returns the contest of counting matching lines; flag is GNU grep's, -F or -E.
func (s Setup) grepCount(name, flag, pattern string) Contest {
	job := []string{"grep", "-c", pattern, s.Inputs.Real}
	if flag == "-F" {
		job = slices.Insert(job, 1, flag)
	}
	return Contest{
		Name: name, Input: s.Inputs.Real, Bytes: s.Size,
		Programs: append([]Program{s.tarryCount(job...)}, s.greps(Count, "-c", flag, pattern, s.Inputs.Real)...),
	}
}

// noMatch is Tarry's exit status if no line matches.
const noMatch = 4

// tarryCount is like tarry, for a grep that prints one number.
func (s Setup) tarryCount(job ...string) Program {
	p := s.tarry(Count, job...).with("tarry", "--output", "-")
	p.OutDir, p.Accept = "", noMatch
	return p
}

func (s Setup) grepLines() Contest {
	input := s.Inputs.Real
	tarry := s.tarryMaps(Bytes, "grep", "-F", Literal, input)
	tarry.Accept = noMatch
	c := Contest{Name: "grep literal", Input: input, Bytes: s.Size, Programs: []Program{
		tarry,
		s.userJob("user's line by line", Bytes, "grep", input),
	}}
	c.Programs = append(c.Programs, s.greps(Bytes, "", "-F", Literal, input)...)
	return c
}

// greps returns ripgrep and GNU grep if they are installed. With -a, both treat text with a NUL
// byte as text, as Tarry does.
func (s Setup) greps(kind ResultKind, count, flag, pattern, input string) []Program {
	rg := Program{
		Name: "ripgrep", Args: []string{"rg", "-a", "--no-line-number", "--no-config"},
		Result: kind, Accept: 1,
	}
	gnu := Program{
		Name: "GNU grep", Args: []string{"grep", "-a", flag}, Env: []string{"LC_ALL=C"},
		Result: kind, Accept: 1,
	}
	if flag == "-F" {
		rg.Args = append(rg.Args, "-F")
	}
	if count != "" {
		rg.Args = append(rg.Args, count)
		gnu.Args = append(gnu.Args, count)
	}
	rg.Args = append(rg.Args, pattern, input)
	gnu.Args = append(gnu.Args, pattern, input)
	return append(s.installed(rg), s.installed(gnu)...)
}

// installed returns the program, or none if its command is not on this machine.
func (s Setup) installed(p Program) []Program {
	if _, err := exec.LookPath(p.Args[0]); err != nil {
		return nil
	}
	return []Program{p}
}
