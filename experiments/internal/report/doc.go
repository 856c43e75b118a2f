// Package report is what experiments are told in: rows with an interval and a verdict, tables, figures,
// and the pages, CSV files and pictures made of them. It knows nothing of clusters or policies.
package report
