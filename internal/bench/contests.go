package bench

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// Setup is where things are and how big: what the contests are made from.
type Setup struct {
	Tarry, Limit, UserJobs string // the programs; an empty UserJobs leaves user-written jobs out
	Inputs                 Inputs
	Size                   int64  // bytes of each input
	Memory                 string // a directory in memory, for results
	Spill                  string // a directory on disk, for spills and temporary files of GNU sort
	Cores                  int
	// Slow asks for the tools that take a minute for 1 GiB, too; each runs once.
	Slow bool
}

// Literal and Regexp are what the greps look for: both occur now and then in real text.
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
		s.smallFile(),
	}
	contests = append(contests, s.grepPatterns()...)
	contests = append(contests, s.queries()...)
	if s.Inputs.Tera4 != "" {
		contests = append(contests, s.bigTeraSort())
	}
	return contests
}

// tarry is `tarry run` with slots = cores, its result in a directory in memory.
func (s Setup) tarry(kind ResultKind, job ...string) Program {
	return s.tarryMaps(kind, job...).with("tarry", "--reduce-slots", strconv.Itoa(s.Cores))
}

// tarryMaps is the same of a job that has no reduces.
func (s Setup) tarryMaps(kind ResultKind, job ...string) Program {
	out := filepath.Join(s.Memory, "out")
	slots := strconv.Itoa(s.Cores)
	args := append([]string{s.Tarry, "run"}, job...)
	args = append(args, "-q", "--output", out, "--map-slots", slots, "--spill-dir", s.Spill)
	return Program{Name: "tarry", Args: args, OutDir: out, Result: kind}
}

// with returns the program under another name, with flags and their values, in place of those that
// it has.
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

// oneSlot returns the program with a single slot for maps and for reduces.
func (p Program) oneSlot() Program {
	return p.with(p.Name+", 1 slot", "--map-slots", "1", "--reduce-slots", "1")
}

// oneCoreLimit is the limit with a single goroutine: how it scales tells what of Tarry's scaling is
// the machine's.
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

// userJob is a job written by a user of the library, run on a cluster in its own process.
func (s Setup) userJob(name string, kind ResultKind, job, input string) []Program {
	if s.UserJobs == "" {
		return nil
	}
	out := filepath.Join(s.Memory, "out")
	return []Program{
		{Name: name, Args: []string{s.UserJobs, job, input, out}, OutDir: out, Result: kind},
	}
}

// wordCount is WordCount of a text, which may have tabs.
func (s Setup) wordCount(name, input string, tabs bool) Contest {
	tarry := s.tarry(Lines, "wordcount", input)
	c := Contest{Name: name, Input: input, Bytes: s.Size, Fresh: s.Size / 2, Programs: []Program{
		tarry,
		s.limit(Lines, "wordcount", input),
		tarry.with("tarry "+WordCountBudget, "--memory", WordCountBudget),
		tarry.oneSlot(),
		s.oneCoreLimit(Lines, "wordcount", input),
	}}
	c.Programs = append(c.Programs, s.userJob("user's words", Lines, "words", input)...)
	c.Programs = append(c.Programs, s.userJob("user's strings", Lines, "strings", input)...)
	c.Programs = append(c.Programs, s.userJob("user's structs", Lines, "structs", input)...)
	c.Programs = append(c.Programs, s.userJob("user's byte loop", Lines, "wordcount", input)...)
	c.Programs = append(c.Programs,
		s.installed(duckWordCount(input, filepath.Join(s.Memory, "duck.csv"), tabs))...)
	if s.Slow {
		c.Programs = append(c.Programs, s.installed(Program{
			Name: "mawk",
			Args: []string{
				"mawk",
				`{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) print w "\t" n[w] }`,
				input,
			},
			Env:    []string{"LC_ALL=C"},
			Result: Other, Once: true,
		})...)
		c.Programs = append(c.Programs, s.installed(s.shell("tr, sort, uniq",
			`tr -s '[:space:]' '\n' <"$1" | sort --parallel=2 -S 8G -T "$2" | uniq -c`, input))...)
	}
	return c
}

// shell is a pipeline that gets the input as $1 and the spill directory as $2.
func (s Setup) shell(name, pipeline, input string) Program {
	return Program{
		Name: name, Args: []string{"sh", "-c", pipeline, "sh", input, s.Spill},
		Env: []string{"LC_ALL=C"}, Result: Other, Once: true,
	}
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

// bigTeraSort sorts what does not fit into the budget, here an eighth of the input as in 512 MiB
// for 4 GiB.
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
		Programs: []Program{
			s.tarry(Bytes, "sort", s.Inputs.Zipf),
			s.limit(Bytes, "sort", s.Inputs.Zipf),
			s.gnuSort(s.Inputs.Zipf, "8G"),
		},
	}
}

// smallFile is what a process costs before it has anything to do.
func (s Setup) smallFile() Contest {
	return Contest{
		Name: "wordcount small file", Input: s.Inputs.Small, Bytes: smallSize, Programs: []Program{
			s.tarry(Lines, "wordcount", s.Inputs.Small),
			s.limit(Lines, "wordcount", s.Inputs.Small),
			{Name: "tarry --help", Args: []string{s.Tarry, "--help"}, Result: Other},
		},
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

// grepCount counts matching lines; flag is GNU grep's name of the pattern's kind.
func (s Setup) grepCount(name, flag, pattern string) Contest {
	input := s.Inputs.Real
	limitArgs := []string{s.Limit, "grep", "-c", "-j", strconv.Itoa(s.Cores)}
	tarryArgs := []string{"grep", "-c"}
	if flag == "-F" {
		tarryArgs = append(tarryArgs, "-F")
	} else {
		limitArgs = append(limitArgs, "-e")
	}
	tarry := s.tarry(Count, append(tarryArgs, pattern, input)...).with("tarry", "--output", "-")
	tarry.OutDir = ""
	c := Contest{Name: name, Input: input, Bytes: s.Size, Programs: []Program{
		tarry,
		{Name: "limit", Args: append(limitArgs, pattern, input), Result: Count},
	}}
	c.Programs = append(c.Programs, s.greps(Count, "-c", flag, pattern, input)...)
	return c
}

func (s Setup) grepLines() Contest {
	input := s.Inputs.Real
	limit := Program{
		Name: "limit", Args: []string{s.Limit, "grep", "-j", strconv.Itoa(s.Cores), Literal, input},
		Result: Bytes,
	}
	c := Contest{Name: "grep literal", Input: input, Bytes: s.Size, Programs: []Program{
		s.tarryMaps(Bytes, "grep", "-F", Literal, input),
		limit,
	}}
	c.Programs = append(c.Programs, s.greps(Bytes, "", "-F", Literal, input)...)
	c.Programs = append(c.Programs, s.userJob("user's line by line", Bytes, "grep", input)...)
	return c
}

// greps are ripgrep and GNU grep where they are installed. GNU grep -a, because text with a NUL
// byte is text here.
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

// installed returns the program if its command is on this machine.
func (s Setup) installed(p Program) []Program {
	if _, err := exec.LookPath(p.Args[0]); err != nil {
		return nil
	}
	return []Program{p}
}
