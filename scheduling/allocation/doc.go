// Package allocation reads the configuration files of Hadoop's schedulers:
//
//   - ReadFiles reads the files of a cluster; Files.Apply applies them to a scheduling.Policy.
//   - ParseFair reads an allocation file, fair-scheduler.xml, into scheduling.Allocations.
//   - ParseQueues reads capacity-scheduler.xml, mapred-queues.xml and mapred-queue-acls.xml into
//     queues and their access lists.
//   - ParseParameters reads the scheduler's parameters in mapred-site.xml.
//   - Check finds everything wrong with files of any kind.
//
// Hadoop ignores many mistakes in these files: unknown elements, negative numbers, weights of zero,
// pools listed twice. Here each is an error with its line and reason, and all are reported at once,
// because a mistake in such a file changes other users' jobs. Legal settings that are surely
// mistakes become warnings.
//
// The package opens no file: readers are arguments. Its functions are safe for concurrent use.
//
// Reading order: problem.go, document.go, values.go, settings.go, fair.go; parameters.go;
// queues.go, queues_read.go, queues_build.go; files.go, check.go.
package allocation
