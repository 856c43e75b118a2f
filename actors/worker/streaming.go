package worker

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/dfs/stores"
)

// HadoopVariable names the environment variable with the command that runs Hadoop Streaming, up to
// its own arguments. Its default is hadoop jar with the streaming jar of HADOOP_HOME.
const HadoopVariable = "TARRY_HADOOP"

// streaming is the engine Hadoop Streaming with the stock jar: on YARN, or where the configuration
// of the hadoop command says.
//
//  1. The input is the list of splits, one line per map, with the hosts of its bytes. Stock formats of
//     lists ignore hosts; if there are any, a class of our own gives them to the scheduler.
//     A map's frames are in the format rawbytes; their salt makes Hadoop's own partitioner send them
//     to the right reduce, in order of map and chunk.
//  2. A task writes its part to the output's temporary files. Hadoop's own output remains empty.
func streaming(ctx context.Context, j *job) error {
	base, args, err := streamingJob(j)
	if err != nil {
		return err
	}
	var id string
	r := &foreign{job: j, name: "Hadoop", line: func(line string) {
		if m := hadoopJob().FindStringSubmatch(line); m != nil {
			id = m[1]
			j.logf("Hadoop runs it as %s", id)
		}
	}, kill: func() {
		if id != "" {
			_ = hadoopTool(base, "org.apache.hadoop.mapred.JobClient", "-kill", id).Run() // it may have ended
		}
	}, logs: func(to io.Writer) {
		if id != "" {
			_, _ = to.Write(hadoopLogs(base, id)) // only an aid
		}
	}}
	return r.run(ctx, slices.Concat(base, args))
}

// logAttempts is how often the logs of a failed job are asked for, until there are any.
const logAttempts = 5

// hadoopLogs returns the logs of a job's tasks. YARN collects them after the job, if it does at
// all.
func hadoopLogs(base []string, id string) (text []byte) {
	application := strings.Replace(id, "job_", "application_", 1)
	for n := range logAttempts {
		if n > 0 {
			time.Sleep(time.Second)
		}
		var err error
		text, err = hadoopTool(base, "org.apache.hadoop.yarn.client.cli.LogsCLI", "-applicationId", application).CombinedOutput()
		if err == nil || strings.Contains(id, "local") { // Hadoop in one process has printed them
			break
		}
	}
	return text
}

// streamingJob writes the job's input list. It returns the command that runs Hadoop Streaming, and
// its arguments for the job.
func streamingJob(j *job) (base, args []string, err error) {
	if err := checkName("Hadoop", `,:[]{}\`, j.temp.dir); err != nil {
		return nil, nil, err
	}
	var lines []byte
	for i, s := range j.layout.Splits {
		lines = fmt.Appendf(lines, "%s\t%d\n", strings.Join(s.Hosts, ","), i)
	}
	splits := j.temp.below("splits")
	if err := splits.make(); err != nil {
		return nil, nil, err
	}
	if err := splits.write("list", lines); err != nil {
		return nil, nil, err
	}
	if base, err = streamingCommand(os.Getenv); err != nil {
		return nil, nil, err
	}
	args, err = streamingArgs(j)
	return base, args, err
}

// hadoopEnded reports whether Hadoop's committer is done with its output: on a local disk it writes
// a checksum beside _SUCCESS, after it, as beside each part.
func hadoopEnded(j *job) bool {
	out := j.temp.below("hadoop")
	success, _ := out.count("_SUCCESS") // what cannot be listed is not over
	parts, _ := out.count(".part-")
	sum, _ := out.count("._SUCCESS.crc")
	return success > 0 && (parts == 0 || sum > 0)
}

// hadoopJob matches the line of Hadoop's client that names the job.
var hadoopJob = pattern(`Running job: (job_\w+)`)

// streamingCommand returns the command that runs Hadoop Streaming, without its arguments.
func streamingCommand(getenv func(string) string) ([]string, error) {
	if list := strings.Fields(getenv(HadoopVariable)); len(list) > 0 {
		return list, nil
	}
	home := getenv("HADOOP_HOME")
	jars, _ := filepath.Glob(filepath.Join(home, "share/hadoop/tools/lib/hadoop-streaming-[0-9]*.jar"))
	if home == "" || len(jars) == 0 {
		return nil, fmt.Errorf("no Hadoop Streaming: set HADOOP_HOME, or %s to a command such as hadoop jar hadoop-streaming.jar",
			HadoopVariable)
	}
	return []string{filepath.Join(home, "bin", "hadoop"), "jar", jars[len(jars)-1]}, nil
}

// hadoopTool returns the command that runs another class of Hadoop: command, which runs Streaming,
// begins with hadoop, or with java and its class path.
func hadoopTool(command []string, class string, args ...string) *exec.Cmd {
	run := command[:1]
	if last := len(command) - 1; strings.HasSuffix(command[last], "HadoopStreaming") {
		run = command[:last]
	}
	run = slices.Concat(run, []string{class}, args)
	return exec.Command(run[0], run[1:]...)
}

// streamingArgs returns the arguments of Streaming, the generic Hadoop options first.
func streamingArgs(j *job) ([]string, error) {
	files, err := j.ship()
	if err != nil {
		return nil, err
	}
	for i, path := range files {
		name := shippedName
		if i > 0 {
			name = filepath.Base(path)
		}
		files[i] = "file://" + path + "#" + name
	}
	t := j.task(eitherTask, -1, -1)
	t.Spills = ownFolder
	tickets, names := shippedTickets()
	for _, file := range tickets {
		files = append(files, "file://"+file)
	}
	t.Tickets = names
	most := j.maxAttempts()
	list := []string{
		"-D", "mapreduce.job.name=" + jobName(j.layout.Name),
		"-D", "mapreduce.job.reduces=" + strconv.Itoa(j.layout.Reduces),
		"-D", "mapreduce.input.lineinputformat.linespermap=1",
		"-D", "mapreduce.map.maxattempts=" + strconv.Itoa(most),
		"-D", "mapreduce.reduce.maxattempts=" + strconv.Itoa(most),
	}
	if j.layout.Reduces > 0 {
		list = append(list, "-D", "stream.map.output=rawbytes", "-D", "stream.reduce.input=rawbytes")
	}
	list = append(list, j.settings()...)
	format := "org.apache.hadoop.mapred.lib.NLineInputFormat"
	if anyHosts(j.layout.Splits) {
		dir, err := j.local()
		if err != nil {
			return nil, err
		}
		jar := filepath.Join(dir, "hosted.jar")
		if err := os.WriteFile(jar, hostedJar, 0o644); err != nil { //nolint:gosec // tasks of another user read it
			return nil, err
		}
		list, format = append(list, "-libjars", "file://"+jar), "tarry.HostedLines"
	}
	list = append(list, "-files", strings.Join(files, ","), "-inputformat", format,
		"-input", hadoopName(j.temp.fullName("splits")), "-output", hadoopName(j.temp.fullName("hadoop")),
		"-mapper", "./"+shippedName, "-cmdenv", taskVariable+"="+t.env())
	if j.layout.Reduces > 0 {
		list = append(list, "-reducer", "./"+shippedName)
	}
	return list, nil
}

// hostedJar contains our input format, the class of hadoop/HostedLines.java;
// internal/tools/engines/jar.sh makes it.
//
//go:embed hadoop/hosted.jar
var hostedJar []byte

// hadoopName returns the name that Hadoop has for a file of ours.
func hadoopName(place string) string {
	if rest, ok := strings.CutPrefix(place, "s3://"); ok {
		return "s3a://" + rest
	}
	if stores.Named(place) {
		return place
	}
	return "file://" + place
}

// shippedName is the name of the program where an engine has put it.
const shippedName = "tarry-worker"

// jobName returns a name that is valid as a Hadoop property.
func jobName(name string) string {
	return regexp.MustCompile(`[^\w.-]+`).ReplaceAllString(name, "-")
}
