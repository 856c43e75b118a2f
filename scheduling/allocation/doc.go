// Package allocation reads the configuration files of Hadoop's schedulers: fair-scheduler.xml,
// capacity-scheduler.xml, mapred-queues.xml, mapred-queue-acls.xml and the scheduler's parameters
// in mapred-site.xml. Read reads any of them, ReadFiles those of a cluster; Files.Apply applies
// them to a scheduling.Policy.
//
// Hadoop ignores many mistakes in these files: unknown elements, negative numbers, weights of zero,
// pools listed twice. Here each is an error with its line and reason, and all are reported at once,
// because a mistake in such a file changes other users' jobs. Legal settings that are surely
// mistakes become warnings.
//
// The package opens no file: readers are arguments. Its functions are safe for concurrent use.
//
// Reading order: files.go, reader.go, problem.go, document.go, values.go, settings.go; fair.go;
// parameters.go; queues.go, queues_read.go, queues_build.go.
package allocation
