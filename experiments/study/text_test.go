package study

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// library returns a library of one text and the items that texts share.
func library() *Library {
	return NewLibrary(fstest.MapFS{
		"shared.md": {Data: []byte("## cluster\n\n- 100 nodes.\n\n## both\n\n- {cluster}\n- Heartbeats.\n")},
		"one.md": {Data: []byte("# name-1: A title\n\nours; a\npaper\n\n## Set-up\n\n- {both}\n- Two\n  lines, {jobs}\n" +
			"  jobs. {far}\n\n## Set-up in a hurry\n\n- {cluster} Only {jobs} jobs.\n\n## Notes\n\n- A note.\n\n## Rows\n\n" +
			"| q | u | k | e | c |\n|---|---|---|---|---|\n| x | | own | > 1 | |\n\n## Figures\n\n" +
			"| f | t | x | y |\n|---|---|---|---|\n| f | F | x | |\n\n## Tables\n\n" +
			"| t | t | c |\n|---|---|---|\n| t | T | a; b, c |\n")},
	}, fstest.MapFS{"shared.md": {Data: []byte("## far\n\n- Far away.\n")}})
}

func TestText(t *testing.T) {
	e := library().Experiment("one", func(s *Study) {
		s.Fill("jobs", 7)
		s.Row("x", Sure(2)).Claim = "claim"
		s.Plot("f").Add("one", 1, 2)
		s.Table("t").Add("one", 2)
	})
	require.Equal(t, "name-1", e.Name)
	require.Equal(t, "A title", e.Title)
	require.Equal(t, "ours; a paper", e.Source)
	r, err := e.Run(context.Background(), Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"100 nodes.", "Heartbeats.", "Two lines, 7 jobs. Far away."}, r.Setup)
	require.Equal(t, []string{"A note."}, r.Notes)
	require.Equal(t, "claim", r.Rows[0].Claim)
	require.Len(t, r.Figures[0].Series[0].Points, 1)
	require.Equal(t, Figure{Name: "f", Title: "F", X: "x", Series: r.Figures[0].Series}, *r.Figures[0])
	require.Equal(t, Table{"t", "T", []string{"a", "b, c"}, []Line{{"one", []float64{2}}}}, *r.Tables[0])
}

// The set-up may begin with items of a list that the experiment chooses.
func TestOpen(t *testing.T) {
	e := library().Experiment("one", func(s *Study) {
		s.Fill("jobs", 7)
		s.Open("Set-up in a hurry")
	})
	for range 2 {
		r, err := e.Run(context.Background(), Options{Quick: true})
		require.NoError(t, err)
		require.Equal(t, []string{"100 nodes. Only 7 jobs.", "100 nodes."}, r.Setup[:2])
	}
	_, err := library().Experiment("one", func(s *Study) { s.Open("Set-up at night") }).
		Run(context.Background(), Options{})
	require.ErrorContains(t, err, `the text has no list "Set-up at night"`)
}

// A name in the set-up without a value is an error. The first failed Check ends the function with
// its error.
func TestStudyEndsWithTheFirstError(t *testing.T) {
	_, err := library().Experiment("one", func(*Study) {}).Run(context.Background(), Options{Quick: true})
	require.ErrorContains(t, err, "nothing fills {jobs}")
	_, err = library().Experiment("one", func(s *Study) { s.Fill("jobs", 1, "job", 2) }).
		Run(context.Background(), Options{})
	require.ErrorContains(t, err, "{job} stands nowhere")
	wrong, after := errors.New("wrong"), false
	_, err = library().Experiment("one", func(s *Study) {
		s.Check(nil)
		s.Check(wrong)
		after = true
	}).Run(context.Background(), Options{})
	require.ErrorIs(t, err, wrong)
	require.False(t, after)
	require.Panics(t, func() {
		_, _ = library().Experiment("one", func(*Study) { panic("a fault") }).Run(context.Background(), Options{})
	})
}

func TestTextsThatAreNone(t *testing.T) {
	for _, text := range []string{"", "# no colon\n\nours\n", "# a: title without source\n"} {
		l := NewLibrary(fstest.MapFS{"x.md": {Data: []byte(text)}})
		require.Panics(t, func() { l.Experiment("x", nil) }, "%q", text)
	}
	require.Panics(t, func() { library().Experiment("missing", nil) })
}
