package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// slurm is the engine that submits two array jobs to Slurm, the second of which starts when the
// first has succeeded, and a last job to wait for. They exchange files below the output's temporary
// directory, which all nodes must see, or in a store.
func slurm(ctx context.Context, j *job) (err error) {
	dir, logs := j.tasks.fullName(""), os.DevNull
	if j.tasks.store == nil {
		logs = filepath.Join(dir, "%A_%a.log")
	} else if len(j.o.Workers) > 0 {
		return errors.New("--worker: Slurm brings no program to its nodes: want an output in a folder that they share")
	}
	files, err := j.ship()
	if err != nil {
		return err
	}
	var ids []string
	defer func() {
		if err != nil { // jobs that have ended are ignored
			_ = exec.Command("scancel", ids...).Run()
		}
	}()
	after := ""
	for i, count := range []int{len(j.layout.Splits), j.layout.Reduces} {
		if count == 0 {
			continue
		}
		id, err := submitArray(j, files[0], []string{mapTask, reduceTask}[i], count, after, dir, logs)
		if err != nil {
			return err
		}
		ids, after = append(ids, id), "--dependency=afterok:"+id
	}
	j.logf("Slurm runs it as %s", strings.Join(ids, ", "))
	wait := append(sbatch(logs, j), "--wait", "--kill-on-invalid-dep=yes", after, "--wrap", "true")
	r := &foreign{job: j, name: "Slurm", logs: func(to io.Writer) {
		endedBySlurm(ids, to)
		files, _ := filepath.Glob(filepath.Join(dir, "*.log")) // the pattern is valid
		for _, name := range files {
			text, _ := os.ReadFile(name) // unreadable logs are skipped
			fmt.Fprintf(to, "%s:\n%s\n", name, text)
		}
	}}
	return r.run(ctx, wait)
}

// taskEnded matches a task's end in the text of scontrol: number, state, exit code and host.
var taskEnded = pattern(`\bArrayTaskId=(\d+) .*\bJobState=(\w+) .*\bExitCode=(\S+) .*\bBatchHost=(\S+)`)

// endedBySlurm prints the tasks that Slurm could not start or has ended, in the format of workers'
// errors. ids are the arrays of maps and of reduces.
func endedBySlurm(ids []string, to io.Writer) {
	for i, id := range ids {
		text, _ := exec.Command("scontrol", "--oneliner", "show", "job", id).Output() // Slurm forgets jobs after minutes
		for line := range strings.Lines(string(text)) {
			m := taskEnded().FindStringSubmatch(line)
			switch {
			case m == nil:
			case m[3] == "0:53": // Slurm's code for a task whose output it cannot open
				fmt.Fprintf(to, "tarry: %c-%05s-0 on %s: Slurm cannot write its log, as if the output's folder is not shared with this host\n",
					"mr"[i], m[1], m[4])
			case m[2] == "NODE_FAIL" || m[2] == "OUT_OF_MEMORY" || m[2] == "TIMEOUT":
				fmt.Fprintf(to, "tarry: %c-%05s-0 on %s: Slurm has ended it: %s\n", "mr"[i], m[1], m[4], m[2])
			}
		}
	}
}

// sbatch returns the sbatch command with the options that all our jobs have.
func sbatch(logs string, j *job) []string {
	return append([]string{"sbatch", "--parsable", "--output", logs, "--job-name", "tarry-" + jobName(j.layout.Name)}, j.settings()...)
}

// submitArray submits the tasks of a kind as an array job and returns its ID.
func submitArray(j *job, exe, kind string, count int, after, dir, logs string) (id string, err error) {
	t := j.task(kind, -1, -1)
	t.Shuffle, t.Attempts = dir, j.maxAttempts() // Slurm itself retries only tasks of a lost node
	command := append(sbatch(logs, j), "--requeue", fmt.Sprintf("--array=0-%d", count-1), "--export=ALL,"+taskVariable+"="+t.env(),
		"--kill-on-invalid-dep=yes")
	if after != "" {
		command = append(command, after)
	}
	command = append(command, "--wrap", "exec "+quoted(exe))
	cmd := exec.Command(command[0], command[1:]...) // without ctx: sbatch ends at once, and its job number is needed to end the job
	cmd.Env = environ()
	out, err := cmd.Output()
	if err != nil {
		if x, ok := err.(*exec.ExitError); ok { //nolint:errorlint // Output returns it as it is
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(x.Stderr)))
		}
		return "", fmt.Errorf("sbatch: %w", err)
	}
	id, _, _ = strings.Cut(strings.TrimSpace(string(out)), ";") // the cluster name follows
	return id, nil
}

// quoted quotes a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
