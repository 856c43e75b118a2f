// Package api is what a tarry server and its clients say to each other over HTTP: the JSON of
// /api/v1, and a Client that speaks it.
//
//	c := api.Client{Base: "http://127.0.0.1:8088"}
//	job, err := c.Submit(ctx, api.Submission{Job: "wordcount", Args: []string{"book.txt", "-o", "counts"}})
//	job, err = c.Wait(ctx, job.ID, nil)
//
// Names of fields stay as they are within v1; new ones may be added. Times are RFC 3339, durations
// seconds. openapi.yaml in package serve describes every call; a test compares it with the types
// here and with the server.
//
// Reading order: types.go, client.go, calls.go, events.go.
package api
