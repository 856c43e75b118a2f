package play

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/event"
)

// Each lesson's two runs satisfy its claims, and its texts quote only numbers of these runs. The
// second run accepts the settings of Try.
func TestLessonsClaimWhatTheyShow(t *testing.T) {
	t.Parallel()
	list := allLessons(t)
	require.Len(t, list, 13)
	for _, l := range list {
		t.Run(l.ID, func(t *testing.T) {
			t.Parallel()
			var a Answer
			require.NoError(t, part(&Request{Setup: l.Setup, Other: &l.Other}, &a, nil))
			require.NotNil(t, a.Divergence)
			q := Quantities(a.Report, a.Against)
			require.NotEmpty(t, l.Claim)
			for _, c := range l.Claim {
				require.Contains(t, q, c.Less)
				require.Contains(t, q, c.Than)
				require.Less(t, q[c.Less], c.Part*q[c.Than], c)
			}
			for _, text := range l.Texts {
				for _, s := range []string{text.Title, text.Idea, text.Terms, text.Look, text.Change, text.Question} {
					require.NotEmpty(t, s)
					for _, name := range regexp.MustCompile(`\{([^}]*)\}?`).FindAllStringSubmatch(s, -1) {
						require.Contains(t, q, name[1], "a number that the run does not have")
					}
				}
				require.NotRegexp(t, `\d\d`, regexp.MustCompile(`\{[a-z_0-9]+\}|^1\d\.|D = 20|60 %|n000\d\d`).ReplaceAllString(text.Title+text.Look, ""), "a number that is not of the run")
				require.Len(t, text.Answers, 3)
				require.Len(t, text.Because, 3)
				require.NotContains(t, text.Because, "")
			}
			require.Less(t, l.Right, 3)
			require.Contains(t, []string{"overview", "jobs", "timeline", "shuffle", "findings", "compare", "hfsp", "queues"}, l.Open.Screen)
			require.Positive(t, l.Open.At)
			require.Less(t, l.Open.At.Seconds(), a.Report.MakespanS)
			changed := l.Other
			changed.Set = append(append([]string{}, changed.Set...), l.Try...)
			require.NotEmpty(t, l.Try)
			require.NoError(t, part(&Request{Setup: l.Setup, Other: &changed}, &a, nil))
		})
	}
}

// allLessons returns the lessons.
func allLessons(t *testing.T) []Lesson {
	t.Helper()
	list, err := lessons()
	require.NoError(t, err)
	return list
}

// Chinese texts have full-width punctuation. Each translation of a sentence has as many holes {} as
// the sentence.
func TestChinesePunctuation(t *testing.T) {
	half := regexp.MustCompile(`\p{Han}\s*[,;:?!()]|[,;:?!()]\s*\p{Han}`)
	for _, l := range allLessons(t) {
		text := l.Texts[1]
		all := slices.Concat([]string{text.Title, text.Idea, text.Terms, text.Look, text.Change, text.Question}, text.Answers, text.Because)
		for _, one := range all {
			require.NotRegexp(t, half, one, l.ID)
		}
	}
	seen := map[string]bool{}
	for _, one := range chinese() {
		require.NotRegexp(t, half, one[1])
		require.False(t, seen[one[0]], "%q is there twice", one[0])
		seen[one[0]] = true
		holes := regexp.MustCompile(`\{\d?\}`)
		require.Len(t, holes.FindAllString(one[1], -1), strings.Count(one[0], "{}"), one[0])
	}
}

// The lesson on the center of gravity names a reduce, its center and the node with most of its
// input. In the simulation these are two nodes.
func TestCenterIsNotTheNodeWithMost(t *testing.T) {
	l := allLessons(t)[10]
	require.Equal(t, "distance", l.ID)
	s := l.Setup
	s.Policy, s.Set = l.Other.Policy, l.Other.Set
	input, center := map[string]int64{}, ""
	_, err := s.run(nil, func(e event.Event) {
		switch reduce := e.Attempt.Task.Index; {
		case e.JobID != 1:
		case e.Type == event.Succeeded && e.Output != nil:
			input[fmt.Sprintf("n%05d", e.Node)] += e.Output[2]
		case e.Type == event.Launched && e.Placed != nil && reduce == 2:
			center = e.Placed.Center
		}
	})
	require.NoError(t, err)
	most := slices.MaxFunc(slices.Collect(maps.Keys(input)), func(a, b string) int { return cmp.Compare(input[a], input[b]) })
	require.Greater(t, input[most]*3, input[center]*4, "at least a third more")
	for _, text := range l.Texts {
		require.Regexp(t, "reduce 2.*"+most+".*"+center, text.Look)
	}
}
