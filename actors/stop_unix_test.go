//go:build unix

package actors

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
)

// stoppedFor is how long the process stands still, several times the expiry.
const stoppedFor = 4 * time.Second

// TestStoppedProcess stops a process with a cluster by SIGSTOP in the middle of a job, lets it go on, and expects the job to end right with
// no node lost. It takes some seconds for real, with TARRY_LONG=1.
func TestStoppedProcess(t *testing.T) {
	if os.Getenv("TARRY_STOPPED") != "" {
		runStopped(t)
		return
	}
	if os.Getenv("TARRY_LONG") == "" {
		t.Skip("TARRY_LONG=1 runs it")
	}
	var out bytes.Buffer
	cmd := exec.Command(os.Args[0], "-test.run=^TestStoppedProcess$", "-test.v")
	cmd.Env = append(os.Environ(), "TARRY_STOPPED=1")
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	time.Sleep(2 * time.Second)
	require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
	time.Sleep(stoppedFor)
	require.NoError(t, cmd.Process.Signal(syscall.SIGCONT))
	require.NoError(t, cmd.Wait(), out.String())
	require.Contains(t, out.String(), "stood still", "it was stopped in the middle of the job")
}

// runStopped is the process: a job of some 5 seconds on nodes that expire after one.
func runStopped(t *testing.T) {
	var events recorder
	c := start(t, Config{Nodes: 3, MapSlots: 1, BlockSize: 50, Expiry: time.Second, Events: events.add})
	text := prose(1, 50)
	job := counting(2)
	last := time.Now()
	still := make(chan time.Duration, 1000)
	job.Map = func(line []byte, emit func(string, int64)) error {
		<-time.After(300 * time.Millisecond)
		return words(line, emit)
	}
	go func() {
		for range 100 {
			<-time.After(50 * time.Millisecond)
			still <- time.Since(last)
			last = time.Now()
		}
		close(still)
	}()
	p, out := bindLines(t, job, text)
	c.submit(t, p, SubmitOptions{}).wait(t)
	require.Equal(t, oracle(t, counting(2), text), out.String())
	require.Empty(t, events.of(scheduling.EventLost))
	for d := range still {
		if d > stoppedFor/2 {
			t.Log("stood still")
		}
	}
}
