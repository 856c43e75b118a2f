package mapreduce_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// fileOutputs are outputs, by name, whose files are named or written by user code.
var fileOutputs = map[string]struct {
	to   func(d Destination) Output[string]
	want map[string]string // the files of one map that emits "a 1" and "a 2"
	two  map[string]string // those of two maps that emit "a 1" and "b 2"
	half string            // a file of the second map that is not a sign of its commit
}{
	"routed": {
		func(d Destination) Output[string] { return Routed(Text[string](d), firstWord) },
		map[string]string{"_SUCCESS": "", "part-m-00000": "", "a-m-00000": "a 1\na 2\n"},
		map[string]string{"_SUCCESS": "", "part-m-00000": "", "part-m-00001": "", "a-m-00000": "a 1\n", "b-m-00001": "b 2\n"},
		"b-m-00001",
	},
	"parts":         {endedParts(false), onePart, twoParts, "c-m-00001"},
	"parts by name": {endedParts(true), onePart, twoParts, "c-m-00001"},
}

var (
	onePart  = map[string]string{"_SUCCESS": "", "part-m-00000.end": "begin\na 1\na 2\nend\n"}
	twoParts = map[string]string{
		"_SUCCESS": "", "part-m-00000.end": "begin\na 1\nend\n", "part-m-00001.end": "begin\nb 2\nend\n",
	}
)

func endedParts(byName bool) func(d Destination) Output[string] {
	return func(d Destination) Output[string] { return Parts(d.Extension(".end"), openEnds(byName)) }
}

// Attempts that fail, hang or lose the commit leave no files, and neither do skipped records.
func TestAttemptsLeaveNoFiles(t *testing.T) {
	for name, c := range fileOutputs {
		for _, system := range []string{"local", "dfs"} {
			root := t.TempDir()
			store, to := os.DirFS(root), Dir(filepath.Join(root, "out"))
			if system == "dfs" {
				if name == "parts by name" {
					continue // files there have no path
				}
				fsys := must(dfs.New(dfs.Config{Nodes: []dfs.Node{{ID: "a"}}}))(t)
				store, to = fsys, InDFS(fsys, "out")
			}
			hold, held := make(chan struct{}), make(chan struct{})
			job := MapOnly[string, string]{MapTask: func(task *Task) (Filter[string, string], error) {
				if task.ID().Try == 1 {
					held <- struct{}{}
					<-hold
				}
				return Filter[string, string]{Map: func(line string, emit func(string)) error {
					if emit(line); line == "b bad" {
						return errDisk
					}
					return nil
				}}, nil
			}}
			p := must(job.Bind(LineStrings(textOf("a 1\nb bad\na 2\n")), c.to(to)))(t)
			begun(t, p, nil)
			run := func(try, skips int) error {
				return errorOf(p.RunMap(t.Context(), &cluster.MapAttempt{Try: try, Split: cluster.Split{Length: 14}, MaxSkips: skips}))
			}
			require.ErrorIs(t, run(0, 0), errDisk)
			require.NoError(t, p.Job().AbortTask(AttemptID{}))
			late := make(chan error)
			if system == "local" {
				go func() { late <- run(1, 1) }()
				<-held // the attempt hangs from here on, and is abandoned
				require.NoError(t, p.Job().AbortTask(AttemptID{Try: 1}))
			}
			require.NoError(t, run(2, 1))
			require.NoError(t, run(3, 1)) // a speculative attempt, which is first
			require.NoError(t, p.Job().CommitTask(AttemptID{Try: 3}))
			require.ErrorIs(t, p.Job().CommitTask(AttemptID{Try: 2}), cluster.ErrCommitted)
			require.NoError(t, p.Job().AbortTask(AttemptID{Try: 2}))
			if system == "local" {
				require.Empty(t, must(fs.ReadDir(store, "_out.new/"+output.Temporary))(t))
			}
			require.NoError(t, p.CommitJob())
			if close(hold); system == "local" {
				require.Error(t, <-late, "the job has ended")
			}
			require.Equal(t, c.want, inside(t, store, "out"), "%s, %s", name, system)
		}
	}
}

// A resumed job keeps the files of committed tasks and removes those of others.
func TestFileOutputsAreResumed(t *testing.T) {
	for name, c := range fileOutputs {
		for _, drop := range []bool{false, true} {
			root := t.TempDir()
			dir, made := filepath.Join(root, "out"), filepath.Join(root, "_out.new")
			bind := func() *Plan {
				p := must(passOn[string]().Bind(LineStrings(textOf("a 1\nb 2\n")), c.to(Dir(dir).Resumable("mine"))))(t)
				begun(t, p, nil)
				return p
			}
			run := func(p *Plan, index, try int) AttemptID {
				a := &cluster.MapAttempt{Index: index, Try: try, Split: cluster.Split{Offset: int64(4 * index), Length: 4}}
				must(p.RunMap(t.Context(), a))(t)
				return a.ID()
			}
			p := bind()
			require.NoError(t, p.Job().CommitTask(run(p, 0, 0)))
			run(p, 1, 0)
			require.NoError(t, p.LeaveJob())
			require.NoError(t, os.WriteFile(filepath.Join(made, c.half), []byte("half"), 0o600))
			p = bind()
			require.Equal(t, []AttemptID{{}}, p.Job().Output.Tasks())
			require.NoFileExists(t, filepath.Join(made, c.half))
			if drop {
				require.NoError(t, p.Job().Output.DropCommitted())
				for file := range c.two {
					require.NoFileExists(t, filepath.Join(made, file))
				}
				require.NoError(t, p.AbortJob())
				continue
			}
			require.NoError(t, p.Job().CommitTask(run(p, 1, 1)))
			require.NoError(t, p.CommitJob())
			require.NoError(t, p.Job().Output.ForgetJob())
			require.Equal(t, c.two, inside(t, os.DirFS(root), "out"), name)
		}
	}
}
