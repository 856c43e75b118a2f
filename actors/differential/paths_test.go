//go:build !race

package differential

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
)

// path is a case for a fast path of the engine. takes lists the places that run must execute, in
// the form that placeOf parses.
type path struct {
	name  string
	takes []string
	run   func(t *testing.T) error
}

// TestPaths runs a case for each fast path and checks by coverage that the engine took the path.
// Without -cover, which make test sets, it only checks that the places exist.
func TestPaths(t *testing.T) {
	if testing.CoverMode() == "" {
		t.Log("not built with -cover -coverpkg=.../mapreduce/...: no case is checked to have taken its path")
	}
	list := pathsTable()
	if only := os.Getenv(alone); only != "" {
		i := slices.IndexFunc(list, func(p path) bool { return p.name == only })
		require.GreaterOrEqual(t, i, 0, "no path is called %q", only)
		require.NoError(t, list[i].run(t))
		return
	}
	for _, p := range list {
		t.Run(p.name, func(t *testing.T) {
			if testing.CoverMode() == "" {
				for _, place := range p.takes {
					_, _, err := placeOf(place).lines()
					require.NoError(t, err)
				}
				require.NoError(t, p.run(t))
				return
			}
			t.Parallel()
			blocks := executed(t, p.name)
			var wrong []error
			for _, place := range p.takes {
				wrong = append(wrong, placeOf(place).taken(blocks))
			}
			require.NoError(t, errors.Join(wrong...))
		})
	}
}

var (
	starved = actors.Config{Memory: 64 << 10}
	little  = actors.Config{Memory: 1 << 20}
)

// pathsTable returns a case for each fast path, without paths that all jobs take.
func pathsTable() []path {
	return slices.Concat(combinePaths(), numberPaths(), sortPaths(), keptPaths(), jobPaths())
}

// many returns one list of n pairs in which each key comes twice in a row. The list has `keys`
// different keys of keyBytes bytes.
func many(n, keys, keyBytes int) [][]pair[string, int64] {
	return [][]pair[string, int64]{emitting(n, func(i int) (string, int64) {
		k := i / 2 % keys
		return stringKey(k*7919%keys, step{key: k, keyBytes: keyBytes}), int64(i)
	})}
}

func words(shape string, cfg actors.Config, lists [][]pair[string, int64]) func(t *testing.T) error {
	return exact[string, int64]{keys: strs(), values: intValues[int64]("int64"), shape: shape, config: cfg, plan: plan{reduces: 2}, lists: lists}.run
}

func values(cfg actors.Config, lists [][]pair[string, []byte]) func(t *testing.T) error {
	return exact[string, []byte]{keys: strs(), values: byteValues(), shape: "longest", config: cfg, plan: plan{reduces: 2}, lists: lists}.run
}

func composites(n, keys, bytes int) func(t *testing.T) error {
	return exact[visit, int64]{keys: visits(), values: intValues[int64]("int64"), shape: "max", lists: [][]pair[visit, int64]{
		emitting(n, func(i int) (visit, int64) {
			return visit{strings.Repeat("u", bytes), int16(i % keys), fmt.Append(nil, i%keys)}, int64(i)
		}),
	}}.run
}

// heavy returns a case with n string values of this length, which the engine counts as heap memory.
func heavy(n, keys, bytes int, cfg actors.Config) func(t *testing.T) error {
	return exact[string, string]{keys: strs(), values: stringValues(), shape: "longest", config: cfg, plan: plan{reduces: 3}, lists: [][]pair[string, string]{
		emitting(n, func(i int) (string, string) { return fmt.Sprint(i % keys), fmt.Sprintf("%*d", bytes, i) }),
	}}.run
}

func combinePaths() []path {
	r := rand.New(rand.NewPCG(4, 4))
	lent := func(n int, at func(i int) (string, []byte)) [][]pair[string, []byte] {
		return [][]pair[string, []byte]{emitting(n, at)}
	}
	list := []path{
		{"a batch is folded", []string{
			"combine/table.go PutString", "combine/accumulator.go flushShort: a.combine(", "combine/values.go FoldOf: *x = combine(*x, *v)",
		}, words("max", actors.Config{}, many(300, 7, 0))},
		{"values that hold pointers are folded", []string{"combine/hashtable.go values: return memory.At(h.slots)", "combine/accumulator.go combine: a.foldHeap(", "combine/heapaccount.go foldHeap: a.heap.estimate +="}, heavy(300, 7, 9, actors.Config{})},
		{"a bulky value waits for nobody", []string{"combine/accumulator.go wait: a.flush()"}, heavy(200, 7, 3000, actors.Config{})},
		{
			"lent values overflow their buffer",
			[]string{"combine/lentvalues.go copyValue: a.flush()", "combine/lentvalues.go keep: return slices.Clip("},
			values(actors.Config{}, lent(400, func(i int) (string, []byte) { return fmt.Sprint(i % 150), text(r, 100+i%156) })),
		},
		{
			"values that are too large are not lent",
			[]string{"combine/lentvalues.go copyValue: *memory.To[[]byte](a.next()) = slices.Clip("},
			values(actors.Config{}, lent(400, func(i int) (string, []byte) { return fmt.Sprint(i % 90), text(r, 250+i%20) })),
		},
		{"an encoded key waits in its batch", []string{"combine/encoded.go PutEncoded: a.short.n++", "combine/encoded.go digest: w.hash ="}, composites(300, 5, 3)},
		{"an encoded key is long", []string{"combine/encoded.go PutEncoded: a.putLong(key)"}, composites(300, 5, 12)},
		{"an encoded key has no room", []string{"combine/encoded.go PutEncoded: large = key[:0]", "combine/encoded.go PutEncoded: dst = large"}, composites(300, 5, 90)},
		{"long keys wait", []string{"combine/batch.go add: b.n++", "combine/batch.go touchLong: b.sink += uint64(h.arena", "combine/accumulator.go flushLong: hits = append(hits, hit)", "combine/hashtable.go findLong: h.arena, x.off ="}, words("max", actors.Config{}, many(300, 50, 20))},
		{"a huge key waits for nobody", []string{"combine/batch.go add: b.buf = key"}, words("max", actors.Config{}, many(20, 3, 5000))},
		{"the table grows", []string{"combine/accumulator.go makeRoom: size *= 2", "combine/hashtable.go rehash: h.copyCell(", "combine/hashtable.go reserve: h.pool.Outgrown(h.long)"}, words("max", actors.Config{}, many(10_000, 5000, 17))},
		{"a full table is spilled", []string{"combine/spill.go spill: a.byPartition", "combine/spill.go byPartition: order[ends[p]], _ = s.next()", "segment/keysort.go scatter", "segment/sort.go insertion: a[j] = e", "combine/merge.go nextWithFile"}, words("max", starved, many(40_000, 20_000, 0))},
		{
			"spilled keys begin alike",
			[]string{"segment/sort.go deepen", "segment/sort.go scatter: tmp[*at] = a[i]", "combine/spill.go spill: a.byPartition"},
			words("max", starved, [][]pair[string, int64]{emitting(20_000, func(i int) (string, int64) {
				return []string{"12345678", fmt.Sprintf("%c234567", 'a'+i%20), "1234567"}[i%3] + fmt.Sprint(i*7%15_000), int64(i)
			})}),
		},
		{"long keys do not fit into the budget", []string{"combine/accumulator.go makeArena: a.drain()", "combine/spill.go spill: a.byPartition", "combine/sort.go touch: uint32(s.arena["}, words("max", starved, many(6000, 3000, 400))},
		{"values on the heap do not fit into the budget", []string{"combine/heapaccount.go settle: a.drain()", "combine/heapaccount.go weighAll", "combine/spill.go spill: a.byPartition"}, heavy(6000, 5000, 300, little)},
		{"values are packed as memory", []string{"combine/pack.go packPair: a.form.bytes(v)", "combine/pack.go absorb: b = b[copy(a.form.bytes"}, words("max", actors.Config{}, many(300, 50, 9))},
		{"values are packed as their encoding", []string{"combine/pack.go packPair: append(binary.AppendUvarint(l.cur, uint64(size)), d.value...)", "combine/pack.go absorb: a.form.read(b[:x]"}, heavy(300, 50, 9, actors.Config{})},
	}
	return append(list,
		path{"words are added without a call", []string{"combine/batch.go probeSum: x.word += w.word", "combine/emit.go emitText: if b.n++", "combine/pack.go packPair: binary.AppendVarint(l.cur", "combine/pack.go absorb: *memory.To[int64](v) = x"}, words("sum", actors.Config{}, many(300, 7, 0))},
		path{"sums are spilled", []string{"combine/batch.go probeSum: x.word += w.word", "combine/spill.go spill: a.byPartition", "combine/merge.go nextWithFile"}, words("sum", starved, many(40_000, 20_000, 0))},
	)
}

// ints returns a case with integer keys and values, which maps emit as lists.
func ints(shape, reduceForm string, cfg actors.Config, lists ...[]pair[int64, uint64]) func(t *testing.T) error {
	p := plan{reduces: 2, reduceForm: reduceForm}
	return exact[int64, uint64]{keys: intKeys[int64]("int64"), values: intValues[uint64]("uint64"), shape: shape, config: cfg, plan: p, lists: lists, pass: (*trial[int64, uint64]).passing}.run
}

func numberPaths() []path {
	near := func(n, from, keys int) []pair[int64, uint64] {
		return emitting(n, func(i int) (int64, uint64) { return int64(from + i*37%keys), uint64(i) })
	}
	far := func(n int) []pair[int64, uint64] {
		return emitting(n, func(i int) (int64, uint64) { return int64(i%n) << 40, uint64(i) })
	}
	list := []path{
		{
			"numbers near to each other stand in a dense array",
			[]string{"combine/emit.go EmitNumbers: *at = combine(", "combine/dense.go gather: a.foldAt(", "combine/pack.go hand: x.dense, x.records =", "combine/sort.go next: id = inDense", "combine/densesegment.go absorbDense: hits = append("},
			ints("max", "", actors.Config{}, near(3000, -500, 900), near(3000, -300, 900)),
		},
		{"dense arrays lie far from each other", []string{"combine/densesegment.go absorbDense: a.putNumber("}, ints("max", "", actors.Config{}, near(3000, -500, 900), near(3000, 1<<45, 900))},
		{"dense arrays are passed on without a Reduce", []string{"run/passpairs.go passNumbers: codec.SetBitsAt(", "combine/densesegment.go Numbers"}, ints("max", "none", actors.Config{}, near(3000, -500, 900), near(3000, -300, 900))},
		{"numbers move into a longer array", []string{"combine/dense.go move: copy(d.values["}, ints("max", "", actors.Config{}, emitting(9000, func(i int) (int64, uint64) { return int64(i / 2), uint64(i) }))},
		{"numbers far from each other stand in cells", []string{"combine/dense.go putNumber: a.put(d.keyOf", "combine/dense.go putNumber: a.presize()", "combine/pack.go packPair: a.form.bytes(v)"}, ints("max", "", actors.Config{}, far(3000))},
		{"a dense array is packed if half of its places are free", []string{"combine/pack.go pack: l.dense.keyOf"}, ints("max", "", actors.Config{}, emitting(900, func(i int) (int64, uint64) { return int64(i % 30 * 8), uint64(i) }))},
		{"a dense array is spilled", []string{"combine/sort.go pair: s.dense.keyOf(", "combine/spill.go byPartition", "combine/merge.go nextWithFile"}, ints("max", "", actors.Config{Memory: 2 << 20}, near(30_000, 0, 30_000), near(30_000, 0, 30_000), near(30_000, 9, 30_000), near(30_000, 0, 30_000), near(30_000, 0, 30_000))},
	}
	sums := []string{"combine/emit.go emitSums: (memory.First(d.values).Index(int(i), 8)) += v", "combine/dense.go gather: a.foldAt("}
	return append(list,
		path{"sums in a dense array", append(sums, "combine/values.go FoldSums: *x += v"), ints("sum", "", actors.Config{}, near(3000, -500, 900), near(3000, -300, 900))},
		path{"sums of floats in a dense array", sums, exact[int32, float64]{
			keys: intKeys[int32]("int32"), values: floatValues[float64]("float64"), shape: "sum", plan: plan{reduces: 2},
			lists: [][]pair[int32, float64]{emitting(3000, func(i int) (int32, float64) { return int32(i * 37 % 900), float64(i) })},
		}.run},
	)
}

// sorted returns a case without Combine, for paths of the sorter. Map i emits each[i] pairs with
// `keys` different keys. Values have valueBytes to valueBytes+3 bytes.
func sorted(cfg actors.Config, keys, keyBytes, valueBytes int, each ...int) func(t *testing.T) error {
	var lists [][]pair[string, []byte]
	for l, n := range each {
		lists = append(lists, emitting(n, func(i int) (string, []byte) {
			k := i * 7919 % keys
			return stringKey(k, step{key: k, keyBytes: keyBytes}), bytesOf(i+l, step{valueBytes: valueBytes + i%4})
		}))
	}
	return exact[string, []byte]{keys: strs(), values: byteValues(), config: cfg, plan: plan{reduces: 2}, lists: lists}.run
}

func sortPaths() []path {
	return []path{
		{"short records lie in the index", []string{"segment/list.go put: "}, sorted(actors.Config{}, 300, 0, 9, 300, 300)},
		{"records lie in the index or are copied by their length", []string{"segment/list.go put: ", "segment/store.go copyRecord"}, sorted(actors.Config{}, 300, 20, 104, 300, 300)},
		{"longer records are copied", []string{"segment/store.go copyRecord"}, sorted(actors.Config{}, 300, 60, 200, 300, 300)},
		{"values of frequent keys are bundled", []string{"segment/bundle.go bundle: c.at += n", "segment/bundle.go more", "segment/bundle.go cutValue"}, sorted(actors.Config{}, 5, 0, 9, 1000, 1000)},
		{"bundles hold values of up to 129 bytes", []string{"segment/bundle.go bundle: room[0]", "segment/bundle.go cutValue"}, sorted(actors.Config{}, 5, 0, 126, 1000)},
		{"bundling is given up where keys do not repeat", []string{"segment/bundle.go bundleNoMore"}, sorted(actors.Config{}, 3000, 0, 9, 3000)},
		{"records are spilled", []string{"segment/spill.go spill", "segment/reader.go next", "segment/loser.go play"}, sorted(starved, 4000, 30, 300, 9000, 500)},
		{"a record of megabytes is spilled at once", []string{"segment/sorter.go addAnyway: s.spill(&extra", "segment/block.go large"}, sorted(actors.Config{Memory: 24 << 20}, 3, 0, 3<<20, 3, 3)},
		{"memory of a large map is given back", []string{"segment/tighten.go tighten: "}, sorted(actors.Config{}, 5000, 60, 300, 9000)},
	}
}

// module is the prefix of file names in a coverage profile.
const module = "github.com/tarry-mr/tarry/"

// place is a function of the engine or, if text is not empty, its first line that contains text.
type place struct{ file, function, text string }

// placeOf parses a place such as "combine/batch.go probe: i, end", which is a file, a function and
// perhaps text. The file is below mapreduce/internal, mapreduce or the module.
func placeOf(s string) (p place) {
	s, p.text, _ = strings.Cut(s, ": ")
	p.file, p.function, _ = strings.Cut(s, " ")
	for _, dir := range []string{"mapreduce/internal/", "mapreduce/", ""} {
		if _, err := os.Stat(filepath.Join("../..", dir, p.file)); err == nil {
			p.file = dir + p.file
			return p
		}
	}
	return p
}

// lines returns the source lines of the place: those of the function's body, or one.
func (p place) lines() (from, to int, err error) {
	name := filepath.Join("../..", p.file)
	source, err := os.ReadFile(name)
	if err != nil {
		return 0, 0, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, err
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != p.function || f.Body == nil {
			continue
		}
		from, to = set.Position(f.Body.Lbrace).Line, set.Position(f.Body.Rbrace).Line
		if p.text == "" {
			return from, to, nil
		}
		for i, line := range strings.Split(string(source), "\n")[from-1 : to] {
			if strings.Contains(line, p.text) {
				return from + i, from + i, nil
			}
		}
		return 0, 0, fmt.Errorf("%s: %s has no line with %q: name the path by its new text", p.file, p.function, p.text)
	}
	return 0, 0, fmt.Errorf("%s has no function %s: name the path by its new place, or remove it", p.file, p.function)
}

// block is a range of lines with one entry in the coverage profile.
type block struct{ from, to int }

// alone is the environment variable that makes a child process run only one case of TestPaths.
const alone = "TARRY_PATH"

// executed runs a case of TestPaths in its own process and returns the executed blocks by file. The
// coverage of this process would include other cases.
func executed(t *testing.T, name string) map[string][]block {
	profile := filepath.Join(t.TempDir(), "profile")
	child := exec.Command(os.Args[0], "-test.run=^TestPaths$", "-test.coverprofile="+profile)
	child.Env = append(os.Environ(), alone+"="+name)
	out, err := child.CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(profile)
	require.NoError(t, err)
	blocks := map[string][]block{}
	for line := range strings.Lines(string(text)) {
		name, rest, ok := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, module)), ":")
		span := strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == '.' || r == ' ' })
		if !ok || len(span) != 6 {
			continue
		}
		n := make([]int, len(span))
		for i := range span {
			n[i], err = strconv.Atoi(span[i])
			require.NoError(t, err)
		}
		if n[5] > 0 {
			blocks[name] = append(blocks[name], block{n[0], n[2]})
		}
	}
	return blocks
}

// taken returns an error unless the place was executed.
func (p place) taken(blocks map[string][]block) error {
	from, to, err := p.lines()
	if err != nil {
		return err
	}
	for _, b := range blocks[p.file] {
		if p.text == "" && b.from >= from && b.to <= to || p.text != "" && b.from <= from && b.to >= to {
			return nil
		}
	}
	if p.text != "" {
		return fmt.Errorf("%s:%d: %s was not executed: %s", p.file, from, p.function, p.text)
	}
	return fmt.Errorf("%s:%d: %s was not entered", p.file, from, p.function)
}
