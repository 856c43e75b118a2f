// Package beam adds two engines to programs that run their jobs with TARRY_ON or --on: prism,
// Beam's own runner, in this process, and beam://HOST:PORT, a Beam job server. Import it for its
// side effect:
//
//	import _ "github.com/tarry-mr/tarry/contrib/beam"
//
// Experimental. Beam moves segments; Tarry maps, combines, sorts, merges and reduces as it does in
// one process, and each task runs in its own process. The server uses this process as the host of
// its workers (Beam's LOOPBACK), so it does not spread work over machines.
package beam

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"

	"github.com/tarry-mr/tarry/actors/worker"
)

func init() {
	worker.Register("prism", run)
	worker.Register("beam://", run)
}

// connecting is the time limit for connecting to a server.
const connecting = 5 * time.Second

// one allows one run at a time, because Beam's options are global; here is the address of this
// process's prism server.
var (
	one   sync.Mutex
	begin sync.Once
	here  string
)

// run implements worker.Engine for both engines.
func run(ctx context.Context, on string, t *worker.Tasks) error {
	one.Lock()
	defer one.Unlock()
	begin.Do(quietly)
	*jobopts.Endpoint = here
	execute := prism.Execute // starts a server if there is none
	if address, ok := strings.CutPrefix(on, "beam://"); ok {
		c, err := net.DialTimeout("tcp", address, connecting)
		if err != nil {
			return fmt.Errorf("no job server: %w", err)
		}
		_ = c.Close() // only a check: Beam itself would wait for minutes
		*jobopts.Endpoint, execute = address, universal.Execute
	}
	workers, err := extworker.StartLoopback(ctx, 0) // like LOOPBACK, which leaves a file each time
	if err != nil {
		return err
	}
	defer func() { _ = workers.Stop(ctx) }() // always nil
	*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "EXTERNAL", workers.EnvironmentConfig(ctx)
	*jobopts.JobName = fmt.Sprintf("tarry-%d-%d", os.Getpid(), time.Now().UnixNano())
	none, err := os.CreateTemp("", "tarry-beam-*") // an empty program for other machines, since Beam always sends one
	if err != nil {
		return err
	}
	defer os.Remove(none.Name())
	if err := none.Close(); err != nil {
		return err
	}
	*jobopts.WorkerBinary = none.Name()
	_, err = execute(ctx, pipeline(t))
	if on == "prism" {
		here = *jobopts.Endpoint
	}
	if err != nil {
		return plain(err)
	}
	return nil
}

// quietly initializes Beam, which takes over the program's loggers: it restores them and drops
// Beam's messages. Beam's errors are also those of the pipeline.
func quietly() {
	was, out, flags := slog.Default(), stdlog.Writer(), stdlog.Flags()
	hooks.DisableHook(harness.DefaultRemoteLoggingHook)
	beam.Init()
	log.SetLogger(silent{})
	slog.SetDefault(slog.New(others{was.Handler()}))
	stdlog.SetOutput(out)
	stdlog.SetFlags(flags)
}

// silent is a Beam logger that drops everything.
type silent struct{}

// Log implements log.Logger.
func (silent) Log(context.Context, log.Severity, int, string) {}

// others is a log handler that drops Beam's messages.
type others struct{ slog.Handler }

// Handle implements slog.Handler.
func (h others) Handle(ctx context.Context, r slog.Record) error {
	at, _ := runtime.CallersFrames([]uintptr{r.PC}).Next()
	if strings.HasPrefix(at.Function, "github.com/apache/beam/") {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h others) WithAttrs(list []slog.Attr) slog.Handler { return others{h.Handler.WithAttrs(list)} }

// WithGroup implements slog.Handler.
func (h others) WithGroup(name string) slog.Handler { return others{h.Handler.WithGroup(name)} }

// plain returns the line of a Beam error that says what happened, without places in Beam.
func plain(err error) error {
	text, _, _ := strings.Cut(err.Error(), "\nFull error:")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return errors.New(strings.TrimSpace(lines[len(lines)-1]))
}
