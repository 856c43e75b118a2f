package state_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

// A job with a key runs only once, even if the program runs twice.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for range 2 {
		if err := shout(context.Background(), dir); err != nil {
			fmt.Println(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", "part-m-00000"))
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// succeeded
	// succeeded earlier
	// TARRY A WHILE
	// <nil>
}

// shout writes text in capitals to a directory out, unless it has already done so.
func shout(ctx context.Context, dir string) error {
	saved, err := state.Open(filepath.Join(dir, "state"), scheduling.Parts{})
	if err != nil {
		return err
	}
	defer saved.Close()
	cluster, err := actors.Start(actors.Config{State: saved})
	if err != nil {
		return err
	}
	defer cluster.Close()
	if _, done := saved.Succeeded("my job"); done {
		fmt.Println("succeeded earlier")
		return nil
	}
	job, text := mapreduce.Apply(strings.ToUpper), mapreduce.Bytes("text", []byte("tarry a while\n"))
	to := mapreduce.Dir(filepath.Join(dir, "out")).Resumable(saved.Token("my job"))
	plan, err := job.Bind(mapreduce.LineStrings(text), mapreduce.Text[string](to))
	if err != nil {
		return err
	}
	handle, err := cluster.Submit(ctx, plan, actors.SubmitOptions{Key: "my job"})
	if err != nil {
		return err
	}
	result, err := handle.Wait(ctx)
	if err == nil {
		fmt.Println(result.State)
	}
	return err
}
