package bench

import (
	"strings"

	"github.com/tarry-mr/tarry/internal/gen"
)

// ofASCII rewrites a pattern for ripgrep: classes such as \w are ASCII in Go, but Unicode in Rust.
var ofASCII = strings.NewReplacer(`\w`, `(?-u:\w)`, `\d`, `(?-u:\d)`, `\s`, `(?-u:\s)`, `\b`, `(?-u:\b)`)

// patternContest returns the name of the contest of Tarry and ripgrep that search for a pattern.
func patternContest(pattern string) string { return "grep pattern " + pattern }

// grepPatterns returns a contest for each pattern: to count the matching lines of real text.
func (s Setup) grepPatterns() []Contest {
	var contests []Contest
	for _, pattern := range gen.Patterns {
		c := Contest{
			Name: patternContest(pattern), Input: s.Inputs.Real, Bytes: s.Size,
			Programs: []Program{s.tarryCount("grep", "-c", pattern, s.Inputs.Real)},
		}
		c.Programs = append(c.Programs, s.installed(Program{
			Name:   "ripgrep",
			Args:   []string{"rg", "-a", "--no-config", "-c", ofASCII.Replace(pattern), s.Inputs.Real},
			Result: Count, Accept: 1,
		})...)
		contests = append(contests, c)
	}
	return contests
}

func patternTargets() []Target {
	var targets []Target
	for _, pattern := range gen.Patterns {
		targets = append(targets, Target{"grep, any pattern", patternContest(pattern), "tarry", CPUTimesOther, "ripgrep", 2})
	}
	return targets
}
