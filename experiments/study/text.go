package study

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// nameInBraces matches a name to be replaced, such as {maps}: see Library and Study.Fill.
var nameInBraces = regexp.MustCompile(`\{[a-z0-9-]+\}`)

// Text is the text of an experiment. Its Markdown is
//
//	# name: Title in one line
//
//	The paper and the place in it; "ours" for our own questions
//
//	## Set-up
//
//	- One modelling choice. {name} is a value of Study.Fill, or an item that texts share.
//
//	## Set-up with the trace
//
//	- The first items of the set-up, if the experiment calls Study.Open with this title.
//
//	## Notes
//
//	- What a reader should know.
//
//	## Figures
//
//	| figure | title | x | y |
//	|---|---|---|---|
//	| sojourn | Mean sojourn by order | order | seconds |
//
//	## Tables
//
//	| table | title | columns |
//	|---|---|---|
//	| times | Time of the job, seconds | cluster; no copies; LATE |
//
//	## Rows
//
//	| quantity | unit | kind | expected | claim |
//	|---|---|---|---|---|
//	| mean sojourn, FIFO over fair | × | said | > 1 | fair is shorter |
//
// Each quantity that the experiment measures is a row. A * in its name stands for any text. kind is
// context, printed, said, formula or own (see Kind). The forms of what is expected of ours are
//
//   - of a printed number: 84, or 99 to 100; the unit decides the tolerance;
//   - of a number that follows from a text: 65 ± 0.5, with the greatest difference of ours from it;
//   - of a claim: > 1, < 50, ≥ 98, ≤ 0, or 2 to 4; significant, a gain above 1.1; alike, a ratio
//     of 0.9 to 1.1; harmless, a ratio above 0.98; near 43, within a quarter of an estimate;
//   - of context: nothing, or the published number;
//   - computed: the experiment sets Published and Bounds of the row.
type Text struct {
	Name, Title, Source string
	Setup, Notes        []string
}

// Experiment is a published table or figure, or a question of the author.
type Experiment struct {
	Text
	Run func(ctx context.Context, o Options) (*Result, error)
}

// Library is a folder of texts. The items in its file shared.md under "## name" replace {name} in
// all other texts.
type Library struct {
	files  fs.FS
	shared map[string][]string
}

// NewLibrary returns the Library of a folder of texts. The files shared.md of more folders have
// items for its texts, too.
func NewLibrary(files fs.FS, more ...fs.FS) *Library {
	l := &Library{files, map[string][]string{}}
	for _, folder := range append(more, files) {
		if text, err := fs.ReadFile(folder, "shared.md"); err == nil {
			maps.Copy(l.shared, parse(string(text)))
		}
	}
	return l
}

// Experiment returns an experiment: its text is file.md, its function body. A bad text panics.
func (l *Library) Experiment(file string, body func(*Study)) Experiment {
	text, err := fs.ReadFile(l.files, file+".md")
	if err != nil {
		panic(err)
	}
	lists := parse(string(text))
	head := lists[""]
	if len(head) != 2 || !strings.Contains(head[0], ": ") {
		panic(fmt.Sprintf("%s.md begins with neither name and title nor a source", file))
	}
	name, title, _ := strings.Cut(head[0], ": ")
	list := func(title string) []string { return l.expand(lists[title]) }
	t := Text{Name: name, Title: title, Source: head[1], Setup: list("Set-up"), Notes: list("Notes")}
	known, err := announcedIn(lists)
	if err != nil {
		panic(fmt.Sprintf("%s.md: %v", file, err))
	}
	return Experiment{t, func(ctx context.Context, o Options) (*Result, error) {
		s := &Study{
			Options: o, Result: Result{Setup: t.Setup, Notes: t.Notes}, ctx: ctx, filled: map[string]string{},
			list: list, announced: announced{slices.Clone(known.rows), maps.Clone(known.shown)},
		}
		return &s.Result, s.run(body)
	}}
}

// expand returns items with {name} replaced by the shared items of that name, one item for each.
func (l *Library) expand(items []string) (list []string) {
	for _, item := range items {
		whole := []string{item}
		for _, name := range nameInBraces.FindAllString(item, -1) {
			if shared := l.shared[strings.Trim(name, "{}")]; shared != nil {
				whole = nil
				for _, one := range shared {
					whole = append(whole, strings.ReplaceAll(item, name, one))
				}
				whole = l.expand(whole)
				break
			}
		}
		list = append(list, whole...)
	}
	return list
}

// parse reads the Markdown of a text. It returns the items of its lists and the lines of its tables
// by the title above them, and the lines of its head under no title. An item may have several
// lines.
func parse(text string) map[string][]string {
	lists, title, open := map[string][]string{}, "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		list := lists[title]
		switch {
		case line == "":
			open = false
		case strings.HasPrefix(line, "## "):
			title, open = line[len("## "):], false
		case open && !strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "|"):
			list[len(list)-1] += " " + line
		default:
			lists[title] = append(list, strings.TrimLeft(line, "#- "))
			open = true
		}
	}
	return lists
}
