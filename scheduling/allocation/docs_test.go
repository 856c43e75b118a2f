package allocation_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// block is a fenced part of docs/configuration.md, with the word after its first fence.
type block struct{ kind, text string }

// documented returns the fenced blocks of docs/configuration.md.
func documented(t *testing.T) []block {
	t.Helper()
	page, err := os.ReadFile("../../docs/configuration.md")
	require.NoError(t, err)
	var list []block
	for _, m := range regexp.MustCompile("(?ms)^```([a-z ]+)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		list = append(list, block{m[1], m[2]})
	}
	return list
}

// parseAny reads a file of any of the formats, and returns the error of its parser or of the Core.
func parseAny(t *testing.T, text string) error {
	t.Helper()
	preset, kind, name := "hfs", allocation.QueueFile, "capacity-scheduler.xml"
	switch {
	case strings.Contains(text, "<allocations>"):
		kind, name = allocation.PoolFile, "fair-scheduler.xml"
	case strings.Contains(text, "mapred.fairscheduler."):
		kind, name = allocation.ParameterFile, "mapred-site.xml"
	default:
		preset = "capacity"
	}
	files, err := read(kind, source(name, text))
	if err != nil {
		return err
	}
	require.Empty(t, files.Warnings)
	policy, err := scheduling.Preset(preset)
	require.NoError(t, err)
	files.Apply(&policy)
	_, err = scheduling.NewCore(scheduling.Config{}, policy)
	return err
}

// Parsers accept each right file of the page; each wrong one gives the message that follows it.
func TestDocumentedFiles(t *testing.T) {
	right, wrong := 0, 0
	blocks := documented(t)
	for i, b := range blocks {
		switch b.kind {
		case "xml":
			require.NoError(t, parseAny(t, b.text), b.text)
			right++
		case "xml wrong":
			require.Equal(t, "text", blocks[i+1].kind, "its message follows")
			require.EqualError(t, parseAny(t, b.text), strings.TrimSpace(blocks[i+1].text))
			wrong++
		}
	}
	require.Equal(t, 5, right)
	require.Equal(t, 3, wrong)
}
