package worker

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// slurm is the engine that submits two array jobs to Slurm, the second of which starts when the
// first has succeeded, and a last job to wait for. They exchange files below the output's temporary
// directory, which all nodes must see, or in a store.
type slurm struct{}

func (slurm) width() int { return 1 }

func (s slurm) run(ctx context.Context, j *job) ([]report, error) {
	shuffle := j.temp.below(shuffleFolder)
	dir, logs := j.temp.place(shuffleFolder), os.DevNull
	if shuffle.store == nil {
		logs = filepath.Join(dir, "%A_%a.log")
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	maps, err := s.array(ctx, j, exe, mapTask, len(j.layout.Splits), "", dir, logs)
	if err != nil {
		return nil, err
	}
	ids := []string{maps}
	if !j.mapOnly {
		reduces, err := s.array(ctx, j, exe, reduceTask, j.layout.Reduces, maps, dir, logs)
		if err != nil {
			cancelSlurm(ids)
			return nil, err
		}
		ids = append(ids, reduces)
	}
	j.logf("Slurm runs it as %s", strings.Join(ids, ", "))
	wait := append(sbatch(logs), "--wait", "--kill-on-invalid-dep=yes", "--dependency=afterok:"+ids[len(ids)-1], "--wrap", "true")
	r := &foreign{job: j, name: "Slurm", kill: func() { cancelSlurm(ids) }}
	if err := r.run(ctx, wait, nil); err != nil {
		cancelSlurm(ids)
		return nil, err
	}
	reports, err := readReports(shuffle, reportSuffix)
	if err == nil && len(reports) == 0 { // sbatch does not always report this
		if err = j.failed(nil); err == nil {
			err = j.unended(fmt.Errorf("jobs %s of Slurm have not succeeded: see sacct", strings.Join(ids, ", ")))
		}
	}
	return reports, err
}

// shuffleFolder is the folder for data between maps and reduces, inside the plan's folder.
const shuffleFolder = "shuffle"

// sbatch returns the command with the options of all our jobs.
func sbatch(logs string) []string {
	return []string{"sbatch", "--parsable", "--output", logs, "--job-name", "tarry"}
}

// array submits the tasks of a kind and returns the job's ID.
func (slurm) array(ctx context.Context, j *job, exe, kind string, count int, after, dir, logs string) (id string, err error) {
	t := j.task(kind, -1, -1)
	t.Shuffle = dir
	command := append(sbatch(logs), "--requeue", fmt.Sprintf("--array=0-%d", count-1), "--export=ALL,"+taskVariable+"="+t.env(),
		"--kill-on-invalid-dep=yes")
	if after != "" {
		command = append(command, "--dependency=afterok:"+after)
	}
	command = append(command, "--wrap", retrying(exe, j.mostAttempts()))
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
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

// retrying returns a script that starts a worker until an attempt succeeds or fails for good. Slurm
// itself retries only tasks of a lost node.
func retrying(exe string, most int) string {
	return fmt.Sprintf(`n=0
while [ $n -lt %d ]; do
	TARRY_ATTEMPT=$((${SLURM_RESTART_COUNT:-0} * 1000 + n)) %s && exit 0
	[ $? -eq %d ] && exit 1
	n=$((n + 1))
done
exit 1`, most, quoted(exe), permanentExit)
}

// quoted quotes a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// cancelSlurm cancels jobs; it ignores jobs that have ended.
func cancelSlurm(ids []string) { _ = exec.Command("scancel", ids...).Run() }
