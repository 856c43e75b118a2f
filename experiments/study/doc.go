// Package study is what an experiment on schedulers is made of: rows with an interval and a
// verdict, tables, figures, and the pages, CSV files and SVG pictures made of them.
//
// An experiment is a text ([Text], Markdown in a [Library]) and a function that gets a [Study]. The
// function runs simulations ([Study.Compare]: under each seed all policies meet the same jobs,
// blocks and task times), and adds rows ([Study.Printed], [Study.Said], [Study.Own]), figures
// ([Study.Plot]) and tables ([Study.Table]). It checks no errors: what fails ends the experiment.
// [Write] runs experiments and writes what they find.
//
// A verdict follows from the interval over the seeds and the bounds of the row; nothing is judged
// by one draw of chance.
package study
