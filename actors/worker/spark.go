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
)

// SparkVariable names the environment variable with the spark-submit command, which may have
// arguments. Its default is bin/spark-submit of SPARK_HOME, or the one on the path without it.
const SparkVariable = "TARRY_SPARK_SUBMIT"

//go:embed tarry_spark.py
var sparkProgram []byte

// spark is the engine Spark with a master, as in spark-submit --master. It runs one small Python
// file that is part of this program; nodes need only Python, which PySpark requires.
type spark struct{ master string }

// sparkMasters matches the engine names that are Spark masters.
var sparkMasters = pattern(`^(?:spark://[^/]+:\d+|local\[(?:\d+|\*)(?:,\d+)?\]|local-cluster\[\d+,\d+,\d+\]|k8s://.+)$`)

func (s spark) run(ctx context.Context, j *job) error {
	submit, err := sparkSubmit()
	if err != nil {
		return err
	}
	if err := masterThere(ctx, s.master); err != nil {
		return err
	}
	temp, err := j.local() // spark-submit runs on this machine
	if err == nil {
		err = checkName("Spark", ",:?[]", temp)
	}
	if err != nil {
		return err
	}
	files, err := j.ship()
	if err != nil {
		return err
	}
	task := func(kind string) string {
		t := j.task(kind, -1, -1)
		t.Spills = ownFolder // the Python file starts workers in spark.local.dir
		return t.env()
	}
	// What the Python file, which Spark runs, is to start; it says what the fields mean.
	what := object{
		"program": filepath.Base(files[0]), "map": task(mapTask), "reduce": task(reduceTask), "maps": len(j.layout.Splits),
		"reduces": j.layout.Reduces,
	}
	if hosts := preferredHosts(ctx, j.layout.Splits); hosts != nil {
		what["hosts"] = hosts
	}
	if s.master == "yarn" {
		tickets, names := shippedTickets()
		files, what["tickets"] = append(files, tickets...), names
	}
	setup, err := json.Marshal(what)
	if err != nil {
		return err
	}
	local := folder{dir: temp}
	if err := errors.Join(local.write("spark.json", setup), local.write("tarry_spark.py", sparkProgram)); err != nil {
		return err
	}
	files = append(files, local.fullName("spark.json"))
	command := append(submit, "--master", s.master, "--name", "tarry "+j.layout.Name, "--files", strings.Join(files, ","))
	if j.o.MaxAttempts > 0 {
		command = append(command, "--conf", "spark.task.maxFailures="+strconv.Itoa(j.o.MaxAttempts))
	}
	command = append(command, j.settings()...)
	command = append(command, local.fullName("tarry_spark.py"), local.fullName("spark.json"))
	return (&foreign{job: j, name: "Spark"}).run(ctx, command)
}

// connecting is the time limit for connecting to a server.
const connecting = 10 * time.Second

// masterThere returns an error if no host that master names answers. Spark itself would try for a
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

// sparkSubmit returns the words of the spark-submit command; see SparkVariable.
func sparkSubmit() ([]string, error) {
	if list := strings.Fields(os.Getenv(SparkVariable)); len(list) > 0 {
		return list, nil
	}
	if home := os.Getenv("SPARK_HOME"); home != "" {
		return []string{filepath.Join(home, "bin", "spark-submit")}, nil
	}
	path, err := exec.LookPath("spark-submit")
	if err != nil {
		return nil, fmt.Errorf("no spark-submit: set SPARK_HOME, or %s: %w", SparkVariable, err)
	}
	return []string{path}, nil
}
