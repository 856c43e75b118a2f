// Package study runs experiments on schedulers and writes their results: rows with an interval and
// a verdict, tables and figures, as Markdown, HTML, CSV and SVG.
//
// An experiment is a text ([Text], Markdown in a [Library]) and a function that gets a [Study]. The
// function runs simulations ([Study.Compare]: under each seed all policies meet the same jobs,
// blocks and task times), and adds rows ([Study.Row]), figures ([Study.Plot]) and tables
// ([Study.Table]). The text announces all three, and says what is expected of each row. The
// function checks no errors: a failure ends the experiment. [Write] runs experiments and writes
// their results.
//
// A verdict follows from the interval over the seeds and the bounds of the row. A random quantity
// with a single seed has no interval, and its row cannot tell.
package study
