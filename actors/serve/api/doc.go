// Package api is the protocol between a tarry server and its clients: the JSON of /api/v1 over
// HTTP, and a Client.
//
//	c := api.Client{Base: "http://127.0.0.1:8088"}
//	job, err := c.Submit(ctx, api.Submission{Job: "wordcount", Args: []string{"book.txt", "-o", "counts"}})
//	job, err = c.Wait(ctx, job.ID, nil)
//
// Within v1 field names do not change, but new fields may be added. Times are in RFC 3339,
// durations in seconds. openapi.yaml in package serve describes every call; a test compares it with
// these types and with the server.
//
// Reading order: types.go, client.go, calls.go, events.go.
package api
