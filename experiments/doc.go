// Package experiments reproduces the published tables and figures of delay
// scheduling, HFSP and CoGRS, and runs a few that no paper has.
//
// One file is one experiment: its run, and what was published beside what was
// measured; a text of the same name (Markdown) has its set-up and notes. Each
// paper has a package of its own (zaharia10, pastorelli13, hammoud12), and so
// have our own questions (own). They are made of internal/setup (clusters,
// workloads, reduces to be placed) and study (rows, tables, figures,
// comparisons, and how they are written), and know nothing of each other.
//
// [All] lists them; study.Write runs some and leaves, for each, a table
// (published, ours, interval, verdict), CSV files, figures as SVG,
// and the exact set-up with every modelling choice named, and report.html, which
// shows them in one file.
//
// A verdict follows from the interval over the seeds and the bounds of the row's
// kind; nothing here is tuned so that a row holds. Same options, same bytes, but for the few
// experiments whose numbers come from a clock; these say that they are measured.
//
// Read study/row.go, then any one experiment with its text, then study/write.go.
package experiments
