package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each fault in list.yaml still applies: its old text occurs once in its file.
func TestTheListFits(t *testing.T) {
	list, err := readList("list.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, list)
	for _, m := range list {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", m.File))
		require.NoError(t, err)
		faulty, err := m.apply(text)
		require.NoError(t, err, m.Name)
		require.NotEqual(t, string(text), string(faulty), m.Name)
	}
}

func TestRandomPlaces(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	require.NoError(t, os.WriteFile(file, []byte("package a\n\nfunc f(x int) int {\n\tif x < 3 {\n\t\tprintln(x)\n\t}\n\tx += 2\n\treturn x - 1\n}\n"), 0o666))
	list, err := placesIn(file)
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var got []string
	for _, m := range list {
		faulty, err := m.apply(text)
		require.NoError(t, err)
		require.NotEqual(t, string(text), string(faulty))
		got = append(got, m.Old+" → "+m.New)
	}
	require.Equal(t, []string{"x < 3 → !(x < 3)", "< → <=", "println(x) → ", "+= → -=", "- → +"}, got)
}

// Each fault in equivalent.yaml is still one of the possible random faults, and has a reason.
func TestTheEquivalentFit(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", ".."))
	list, err := readEquivalent("internal/tools/mutants/equivalent.yaml")
	require.NoError(t, err)
	for _, e := range list {
		text, err := os.ReadFile(e.File)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(text), e.At), e)
		require.NotEmpty(t, e.Why, e)
		found, err := placesIn(e.File)
		require.NoError(t, err)
		n := 0
		for i := range found {
			if e.is(&found[i], string(text)) {
				n++
			}
		}
		require.Equal(t, 1, n, e)
	}
}

// A random fault on the equivalent list is recognized, and counted as equal, not as alive.
func TestEquivalentFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.go", []byte("package a\n\nfunc f(x int) bool { return x < 3 && x < 3 || x > 7 }\n"), 0o666))
	list, err := placesIn("a.go")
	require.NoError(t, err)
	tr := trial{equivalent: []equivalent{{File: "a.go", At: "x > 7", Old: ">", New: ">="}}}
	var c census
	for i := range list {
		if tr.isEquivalent(&list[i]) {
			require.Equal(t, ">", list[i].Old)
			c.add(&list[i], equal, 0)
		}
	}
	require.Equal(t, census{tried: 1, equal: 1}, c)
}

// Tests that do not end notice a fault only if, without it, they take less than a third of the
// limit.
func TestTestsThatDoNotEnd(t *testing.T) {
	tr := trial{limit: 30 * time.Second, sound: map[string]time.Duration{"./quick": 9 * time.Second, "./slow": 10 * time.Second}}
	late := []byte("panic: test timed out after 30s\nrunning tests:\n")
	require.Equal(t, timeout, tr.failed("./quick", late))
	require.Equal(t, tooSlow, tr.failed("./slow", late))
	require.Equal(t, noticed, tr.failed("./slow", []byte("--- FAIL: TestA (0.00s)\n")))
	require.Equal(t, noGo, tr.failed("./slow", []byte("FAIL\tx/slow [build failed]\n")))
}

// try tells apart a fault that does not build, one that no test notices, and one that only another
// package's tests notice.
func TestVerdicts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module x\n\ngo 1.26\n",
		"a/a.go":      "package a\n\nfunc F() int { return 1 + 1 }\n",
		"b/b.go":      "package b\n",
		"b/b_test.go": "package b\n\nimport (\n\t\"testing\"\n\t\"x/a\"\n)\n\nfunc TestF(t *testing.T) {\n\tif a.F() != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for _, c := range []struct {
		with string
		also []string
		want verdict
	}{{"x", nil, noGo}, {"-", nil, lives}, {"-", []string{"./b"}, noticed}} {
		tr := trial{dir: dir, limit: time.Minute, also: c.also}
		got, err := tr.try(&mutant{File: "a/a.go", Old: "+", New: c.with, at: -1})
		require.NoError(t, err)
		require.Equal(t, c.want, got, c)
		text, err := os.ReadFile(filepath.Join(dir, "a/a.go"))
		require.NoError(t, err)
		require.Contains(t, string(text), "1 + 1")
	}
}

// A trial of n random faults tries faults until n of them have built. Afterwards the files are as
// before.
func TestAtRandom(t *testing.T) {
	t.Chdir(t.TempDir())
	code := `package a

const four = 3 + 1

var seen int

func F(list []int) (sum int) {
	for i := 0; i < len(list); i++ {
		sum += list[i]
	}
	see(sum)
	return sum % four
}

func see(n int) { seen = n }
`
	test := `package a

import "testing"

func TestF(t *testing.T) {
	if got := F([]int{1, 3, 9, 14}); got != 3 {
		t.Fatal(got)
	}
}
`
	require.NoError(t, os.Mkdir("a", 0o777))
	for name, text := range map[string]string{"go.mod": "module x\n\ngo 1.26\n", "a/a.go": code, "a/a_test.go": test} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	list, err := placeAtRandom([]string{"./a"}, 1)
	require.NoError(t, err)
	require.Len(t, list, 5)
	var c census
	require.NoError(t, (&trial{dir: ".", limit: 20 * time.Second}).each(list, len(list), &c))
	require.Equal(t, census{tried: 5, alive: 1}, c, "only what is seen is looked at by no test")
	text, err := os.ReadFile("a/a.go")
	require.NoError(t, err)
	require.Equal(t, code, string(text))
	entries, err := os.ReadDir("a")
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

// Each fault in experiments.yaml still applies to its files, and has its own folder for results.
func TestTheListForExperimentsFits(t *testing.T) {
	list, err := readFlaws("experiments.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, list)
	folders := map[string]bool{soundName: true}
	for _, f := range list {
		require.False(t, folders[f.folder()], f.Name)
		folders[f.folder()] = true
		texts := map[string][]byte{}
		for _, m := range f.Edits {
			text := texts[m.File]
			if text == nil {
				text, err = os.ReadFile(filepath.Join("..", "..", "..", m.File))
				require.NoError(t, err)
			}
			texts[m.File], err = m.apply(text)
			require.NoError(t, err, f.Name)
			require.NotEqual(t, string(text), string(texts[m.File]), f.Name)
		}
	}
}

// A row that holds notices a fault by another verdict, other rows by a value out of their interval.
func TestRowsNotice(t *testing.T) {
	holds := finding{verdict: "holds", ours: 10, low: 9, high: 11}
	differs := finding{verdict: "differs", ours: 10, low: 9, high: 11}
	alone := finding{verdict: "cannot tell", ours: 10, low: math.NaN(), high: math.NaN()}
	for _, c := range []struct {
		name        string
		sound, with finding
		want        bool
	}{
		{"holds still, far away", holds, finding{verdict: "holds", ours: 50}, false},
		{"cannot be told any more", holds, finding{verdict: "cannot tell", ours: 10}, true},
		{"within its interval", differs, finding{verdict: "differs", ours: 10.9}, false},
		{"out of its interval", differs, finding{verdict: "differs", ours: 11.1}, true},
		{"no interval", alone, finding{verdict: "differs", ours: 11.1}, false},
	} {
		require.Equal(t, c.want, c.sound.notices(&c.with), c.name)
	}
}

// The table has a line for each row with a verdict, with the faults that the row notices. If a
// fault removes a row, the row does not notice it.
func TestTableOfCrosses(t *testing.T) {
	dir := t.TempDir()
	const head = "quantity,unit,kind,published,claim,ours,low,high,seeds,from,to,verdict\n"
	for name, text := range map[string]string{
		"sound":  "a,s,said,NaN,x,2,1.5,2.5,5,1,+Inf,holds\nb,,own,NaN,x,1,1,1,0,1,+Inf,differs\nc,,context,NaN,,1,1,1,0,0,0,\n",
		"faulty": "a,s,said,NaN,x,1,0.5,1.5,5,1,+Inf,cannot tell\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name, "e"), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "e", "rows.csv"), []byte(head+text), 0o666))
	}
	c := contest{dir: dir}
	table, err := c.table([]flaw{{Name: "Faulty"}, {Name: "not run"}}, []string{"e", "none"})
	require.NoError(t, err)
	require.Len(t, table.rows, 2)
	require.Equal(t, []int{1}, table.rows[0].noticed)
	require.Equal(t, "1 of 2 rows notice a fault: printed 0 of 0, said 1 of 1, formula 0 of 0, own 0 of 1.\n"+
		"NOTHING   e: b (own, differs)\n", table.summary())
	require.NoError(t, table.write(filepath.Join(dir, "t")))
	text, err := os.ReadFile(filepath.Join(dir, "t.csv"))
	require.NoError(t, err)
	require.Equal(t, "experiment,row,kind,verdict,Faulty,not run\ne,a,said,holds,x,\ne,b,own,differs,,\n", string(text))
}

// inject applies faults in order, and restore undoes all. If a fault does not apply, inject undoes
// the others.
func TestInject(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	require.NoError(t, os.WriteFile(file, []byte("1 + 2"), 0o666))
	edit := func(old, with string) mutant { return mutant{File: "a", Old: old, New: with, at: -1} }
	content := func() string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(text)
	}
	restore, err := inject(dir, edit("1", "3"), edit("3 +", "3 -"))
	require.NoError(t, err)
	require.Equal(t, "3 - 2", content())
	require.NoError(t, restore())
	require.Equal(t, "1 + 2", content())
	_, err = inject(dir, edit("1", "3"), edit("1", "4"))
	require.ErrorContains(t, err, "0 times")
	require.Equal(t, "1 + 2", content())
}
