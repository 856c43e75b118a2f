package bench

import "strings"

// searched are patterns that people look for, of all kinds: literals, alternations, classes, counts,
// anchors, either case, words, Unicode. Package jobs/internal/search measures the same without a
// process around them.
var searched = []string{
	`Shakespeare`,
	`return`,
	`(?i)handler`,
	`(?i)context deadline`,
	`Reader|Writer|Closer`,
	`Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|October`,
	`(foo|bar|baz)[0-9]+`,
	`[0-9]{3}-[0-9]{4}`,
	`[A-Z][a-z]+ [A-Z][a-z]+ [A-Z][a-z]+`,
	`(\w+) \w+ing`,
	`.{200,}`,
	`^package `,
	`^\s*//.*TODO`,
	`\{$`,
	`^$`,
	`\berr\b`,
	`\bfunc \w+\(`,
	`[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+`,
	`0x[0-9a-fA-F]{8,}`,
	`"[^"]{40,}"`,
	`[a-z]{15,}`,
	`\p{Greek}`,
	`\p{Han}+`,
	`\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+`,
	`(?i)error|warning|fatal|panic`,
	`[Cc]omput(er|ing)s?\b`,
	`[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`,
	`(?:[a-z]+_){3}`,
	`\d{4}-\d{2}-\d{2}`,
	`if .* != nil && .*\{$`,
}

// ofASCII gives ripgrep the classes that are ASCII's in Go, and Unicode's in Rust.
var ofASCII = strings.NewReplacer(`\w`, `(?-u:\w)`, `\d`, `(?-u:\d)`, `\s`, `(?-u:\s)`, `\b`, `(?-u:\b)`)

// patternContest is the name of the contest of a pattern.
func patternContest(pattern string) string { return "grep pattern " + pattern }

// grepPatterns has each pattern count lines of real text.
func (s Setup) grepPatterns() []Contest {
	var contests []Contest
	for _, pattern := range searched {
		tarry := s.tarry(Count, "grep", "-c", pattern, s.Inputs.Real).with("tarry", "-o", "-")
		tarry.OutDir = ""
		c := Contest{
			Name: patternContest(pattern), Input: s.Inputs.Real, Bytes: s.Size,
			Programs: []Program{tarry},
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
	for _, pattern := range searched {
		targets = append(targets, Target{"grep, any pattern", patternContest(pattern), "tarry", CPUTimesOther, "ripgrep", 2})
	}
	return targets
}
