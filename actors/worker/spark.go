package worker

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/internal/scratch"
)

// SparkVariable names the environment variable with the spark-submit command. Its default is
// bin/spark-submit of SPARK_HOME, or the one on the path without it.
const SparkVariable = "TARRY_SPARK_SUBMIT"

//go:embed tarry_spark.py
var sparkProgram []byte

// spark is the engine Spark with a master, as in spark-submit --master. It runs one small Python
// file that is part of this program; nodes need only Python, which PySpark requires.
type spark struct{ master string }

// sparkMasters matches the engine names that are Spark masters.
var sparkMasters = pattern(`^(?:spark://[^/]+:\d+|local\[(?:\d+|\*)(?:,\d+)?\]|local-cluster\[\d+,\d+,\d+\]|k8s://.+)$`)

// masterOf returns the Spark master that an engine name means, or "".
func masterOf(on string) string {
	if sparkMasters().MatchString(on) {
		return on
	}
	if on == "spark:yarn" {
		return "yarn"
	}
	return ""
}

func (spark) width() int { return 1 }

// sparkSetup is the input of the Python file.
type sparkSetup struct {
	Name    string `json:"name"`
	Program string `json:"program"`
	Map     string `json:"map"` // value of TARRY_TASK
	Reduce  string `json:"reduce"`
	Maps    int    `json:"maps"`
	Reduces int    `json:"reduces"`
	Reports string `json:"reports"` // a file
}

func (s spark) run(ctx context.Context, j *job) (reports []report, err error) {
	submit, err := sparkSubmit()
	if err != nil {
		return nil, err
	}
	if err := masterThere(ctx, s.master); err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	temp := j.temp.dir // the submitted program runs on this machine
	if j.temp.store != nil {
		dir, err := scratch.Dir(j.o.SpillDir, "tarry-spark-")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, dir.Remove()) }()
		temp = dir.Name()
	}
	task := func(kind string) string {
		t := j.task(kind, -1, -1)
		t.Spills = "" // Spark starts workers in directories of their own
		return t.env()
	}
	setup, err := json.Marshal(sparkSetup{
		Name: j.layout.Name, Program: exe, Map: task(mapTask), Reduce: task(reduceTask), Maps: len(j.layout.Splits),
		Reduces: j.layout.Reduces, Reports: filepath.Join(temp, "reports"),
	})
	if err != nil {
		return nil, err
	}
	for name, data := range map[string][]byte{"spark.json": setup, "tarry_spark.py": sparkProgram} {
		if err := os.WriteFile(filepath.Join(temp, name), data, 0o600); err != nil {
			return nil, err
		}
	}
	command := []string{submit, "--master", s.master, "--conf", "spark.ui.enabled=false"}
	if j.o.MaxAttempts > 0 {
		command = append(command, "--conf", "spark.task.maxFailures="+strconv.Itoa(j.o.MaxAttempts))
	}
	command = append(command, filepath.Join(temp, "tarry_spark.py"), filepath.Join(temp, "spark.json"))
	if err := (&foreign{job: j, name: "Spark"}).run(ctx, command, nil); err != nil {
		return nil, err
	}
	return readReports(folder{dir: temp}, "reports")
}

// connecting is the time limit for connecting to a server.
const connecting = 10 * time.Second

// masterThere returns an error if none of the named masters answers. Spark itself would try for a
// minute and then print a page of causes.
func masterThere(ctx context.Context, master string) (err error) {
	hosts, ok := strings.CutPrefix(master, "spark://")
	if !ok {
		return nil
	}
	d := net.Dialer{Timeout: connecting}
	for host := range strings.SplitSeq(hosts, ",") {
		var c net.Conn
		if c, err = d.DialContext(ctx, "tcp", host); err == nil {
			return c.Close()
		}
	}
	return fmt.Errorf("no master of Spark: %w", err)
}

// sparkSubmit returns the spark-submit command.
func sparkSubmit() (string, error) {
	if name := os.Getenv(SparkVariable); name != "" {
		return name, nil
	}
	if home := os.Getenv("SPARK_HOME"); home != "" {
		return filepath.Join(home, "bin", "spark-submit"), nil
	}
	path, err := exec.LookPath("spark-submit")
	if err != nil {
		return "", fmt.Errorf("no spark-submit: set SPARK_HOME, or %s: %w", SparkVariable, err)
	}
	return path, nil
}
