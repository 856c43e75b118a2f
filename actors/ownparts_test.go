package actors

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// clumsy writes lines to a file. Each method begins with a call of first, which may hang or fail.
type clumsy struct {
	file  *os.File
	first func(place string) error
}

func (c *clumsy) Write(row pair) error {
	if err := c.first("Write"); err != nil {
		return err
	}
	_, err := fmt.Fprintln(c.file, row.First, row.Second)
	return err
}

func (c *clumsy) Close() error {
	if err := c.first("Close"); err != nil {
		return err
	}
	return c.file.Close()
}

func (c *clumsy) Abort() error {
	if err := c.first("Abort"); err != nil {
		return err
	}
	return c.file.Close()
}

// If the writer of an attempt's part hangs in any of its calls, another attempt completes the task.
// Later writes of the first attempt have no effect.
func TestOwnPartsOfAttempts(t *testing.T) {
	for _, place := range []string{"open", "Write", "Close", "Abort"} {
		dir := filepath.Join(t.TempDir(), "out")
		bubble(t, Config{Nodes: 2, MapSlots: 1, ReduceSlots: 2}, func(t *testing.T, c *Cluster) {
			release := make(chan struct{})
			var hung sync.WaitGroup
			open := func(task *mapreduce.Task, part *mapreduce.PartFile) (mapreduce.PartWriter[pair], error) {
				first := func(at string) error {
					switch {
					case task.ID().Try > 0:
					case place == at:
						hung.Add(1)
						defer hung.Done()
						<-release
					case place == "Abort" && at == "Close":
						return errors.New("so that it is aborted")
					}
					return nil
				}
				path, err := part.Path()
				if err != nil {
					return nil, err
				}
				file, err := os.Create(path)
				if err != nil {
					return nil, err
				}
				return &clumsy{file, first}, first("open")
			}
			p, err := counting(2).Bind(mapreduce.Lines(mapreduce.Bytes("text", []byte("a b c\nd e f g h\n"))),
				mapreduce.Parts(mapreduce.Dir(dir), open))
			require.NoError(t, err)
			r := c.submit(t, p, SubmitOptions{}).wait(t)
			require.EqualValues(t, 2, r.Counters.Named(counter.GroupJob, "Failed reduce tasks"), place)
			close(release)
			hung.Wait()
			synctest.Wait()
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			require.NoError(t, err)
			require.Len(t, files, 3, "two parts and _SUCCESS: %s", place)
			var all []byte
			for _, name := range files {
				b, err := os.ReadFile(name)
				require.NoError(t, err)
				all = append(all, b...)
			}
			require.ElementsMatch(t, strings.Fields("a1 b1 c1 d1 e1 f1 g1 h1"), strings.Fields(strings.ReplaceAll(string(all), " ", "")), place)
			c.requireNothingHeld(t)
		})
	}
}
