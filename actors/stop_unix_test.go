//go:build unix

package actors

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/event"
)

// stoppedFor is the time for which the process is stopped, several times the nodes' expiry.
const (
	stoppedFor    = 600 * time.Millisecond
	stoppedExpiry = 200 * time.Millisecond
	atWork        = "the job is at work"
)

// If SIGSTOP stops a process in the middle of a job, and it continues later, no node is lost and
// the output is right. A real process sees its clock jump as TestStallOfAllLosesNothing simulates
// it. Therefore this test takes real time, less than a second.
func TestStoppedProcess(t *testing.T) {
	if os.Getenv("TARRY_STOPPED") != "" {
		runStopped(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestStoppedProcess$")
	cmd.Env = append(os.Environ(), "TARRY_STOPPED=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, atWork+"\n", line)
	require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
	<-time.After(stoppedFor)
	require.NoError(t, cmd.Process.Signal(syscall.SIGCONT))
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait(), string(rest))
}

// runStopped is the main function of the stopped process. It runs a job whose maps wait until the
// process was stopped, and then run for several times the expiry.
func runStopped(t *testing.T) {
	var events recorder
	c := start(t, Config{
		Nodes: 3, MapSlots: 1, BlockSize: 50,
		HeartbeatInterval: stoppedExpiry / 4, Expiry: stoppedExpiry, Events: events.add,
	})
	var stood atomic.Bool
	var told sync.Once
	job := counting(2)
	job.Map = func(line []byte, emit func(string, int64)) error {
		for began := time.Now(); !stood.Load(); {
			last := time.Now()
			told.Do(func() { fmt.Println(atWork) })
			<-time.After(5 * time.Millisecond)
			stood.CompareAndSwap(false, time.Since(last) > stoppedFor/2)
			if time.Since(began) > 10*time.Second {
				return errors.New("the process was not stopped")
			}
		}
		<-time.After(10 * time.Millisecond)
		return words(line, emit)
	}
	text := prose(1, 30)
	p, out := bindLines(t, job, text)
	c.submit(t, p, SubmitOptions{MaxAttempts: 1}).wait(t)
	require.Equal(t, oracle(t, counting(2), text), out.String())
	require.Empty(t, events.of(event.Lost))
}
