package study

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines is a figure of two series with intervals and published points.
func lines() Figure {
	f := Figure{Name: "f", Title: "T & t", X: "x", Y: "node-local maps (%)"}
	f.AddSample(long, 0, BySeed([]float64{90, 92, 94}))
	f.AddSample(long, 10, BySeed([]float64{99, 100, 98}))
	f.Add("published", 10, 97).Published = true
	return f
}

const long = "a long name of a series that is ours"

// bars is a bar chart of two series, one of them published.
func bars() Figure {
	f := Figure{Name: "f", Title: "T & t", X: "x", Y: "node-local maps (%)"}
	for _, category := range []string{"one", "two"} {
		f.BarSample(long, category, BySeed([]float64{90, 92, 94}))
		f.Bar("published", category, 97).Published = true
	}
	return f
}

// wellFormed requires XML.
func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

// All text of a picture is within its bounds, in a font that every viewer has. The legend is to the
// right of the plot.
func TestPictureIsWhole(t *testing.T) {
	for _, f := range []Figure{lines(), bars()} {
		svg, err := f.svg()
		require.NoError(t, err)
		wellFormed(t, svg)
		size := regexp.MustCompile(`viewBox="0 0 ([0-9.]+) `).FindSubmatch(svg)
		width, err := strconv.ParseFloat(string(size[1]), 64)
		require.NoError(t, err)
		require.Greater(t, width, float64(wide), "room for the legend")
		require.Contains(t, string(svg), `font-family="'Liberation Sans',Arial,Helvetica,sans-serif"`)
		texts := regexp.MustCompile(`<text x="([-0-9.]+)" y="([-0-9.]+)" font-size="([0-9]+)"([^>]*)>([^<]*)<`)
		found := texts.FindAllSubmatch(svg, -1)
		require.NotEmpty(t, found)
		for _, m := range found {
			x, err := strconv.ParseFloat(string(m[1]), 64)
			require.NoError(t, err)
			y, err := strconv.ParseFloat(string(m[2]), 64)
			require.NoError(t, err)
			px, err := strconv.ParseFloat(string(m[3]), 64)
			require.NoError(t, err)
			long, along, end := 0.45*px*float64(len(m[5])), x, width
			if bytes.Contains(m[4], []byte("rotate")) {
				along, end = y, high
			}
			switch {
			case bytes.Contains(m[4], []byte("middle")):
				along -= long / 2
			case bytes.Contains(m[4], []byte("end")):
				along -= long
			}
			require.GreaterOrEqual(t, along, 0.0, "%s", m[5])
			require.LessOrEqual(t, along+long, end, "%s", m[5])
		}
	}
}

// Axes of percentages end at 100, and axes of fractions at 1, unless a value is larger.
func TestAxesEnd(t *testing.T) {
	for _, c := range []struct {
		label      string
		most, want float64
	}{
		{"maps (%)", 99, 100},
		{"maps (%)", 102, 100},
		{"saved (%)", 140, 140},
		{"saved (%)", 12, 12},
		{"part of the jobs", 0.97, 1},
		{"seconds", 97, 97},
	} {
		f := Figure{Y: c.label}
		f.Add("s", 0, c.most/3)
		f.Add("s", 1, c.most)
		_, y, err := f.axes()
		require.NoError(t, err)
		require.Equal(t, c.want, y.max, c.label)
		require.Zero(t, y.min)
	}
}

func TestIntervalsInCSV(t *testing.T) {
	f := lines()
	f.AddSample(long, 11, BySeed([]float64{7}))
	rows := strings.Split(strings.TrimSpace(string(textOf(f.csv()))), "\n")
	require.Equal(t, "series,x,y,low95,high95", rows[0])
	require.Regexp(t, `^a long name of a series that is ours,0,92,87\.03\d*,96\.96\d*$`, rows[1])
	require.Equal(t, "a long name of a series that is ours,11,7,,", rows[3])
	require.Equal(t, "published,10,97,,", rows[4])
}

// A page contains all that it shows, escaped, and no addresses except those of XML namespaces.
func TestPage(t *testing.T) {
	figure := lines()
	table := Table{Name: "more", Title: "more", Columns: []string{"h"}, Lines: []Line{{Label: "<script>"}}}
	rows := []*Row{
		mustRow(t, "", "own", "> 3", Sure(4)), mustRow(t, "", "own", "> 3", BySeed([]float64{1})),
	}
	rows[0].Quantity = "<script>"
	done := []Outcome{{
		Experiment{Text: Text{Name: "one", Title: "a < b", Source: "x & y"}}, &Result{
			Figures: []*Figure{&figure}, Tables: []*Table{&table, {Title: "None"}}, Setup: []string{"n"},
			Rows: rows,
		},
	}, {Experiment{Text: Text{Name: "clock"}}, &Result{Measured: true}}}
	a, err := pageOf(done, Options{})
	require.NoError(t, err)
	b, err := pageOf(done, Options{})
	require.NoError(t, err)
	text := string(a)
	require.Equal(t, text, string(b))
	require.Contains(t, text, `<a href="#one">a &lt; b</a>`)
	require.Contains(t, text, `<section id="one">`)
	require.Contains(t, text, "<svg ")
	require.Contains(t, text, `<td class="holds">holds (&gt; 3)</td>`)
	require.Contains(t, text, `<td class="cannot">cannot tell (&gt; 3)</td>`)
	for _, none := range []string{"<script", "None", "Notes", "clock"} {
		require.NotContains(t, text, none)
	}
	for _, m := range regexp.MustCompile(`https?://[^"' ]*`).FindAllString(text, -1) {
		require.True(t, strings.HasPrefix(m, "http://www.w3.org/"), "%s: nothing is fetched", m)
	}
	for _, fetched := range []string{"src=", "@import", "url(", "<link"} {
		require.NotContains(t, text, fetched)
	}
}
