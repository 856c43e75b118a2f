package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client calls a server. The zero value with a Base is ready to use. It is safe for concurrent use.
type Client struct {
	// Base is the address of the server, such as http://127.0.0.1:8088.
	Base string
	// Token, if not empty, authenticates the caller.
	Token string
	// HTTP makes the calls; nil means http.DefaultClient.
	HTTP *http.Client
}

// problemBytes limits the body of an error.
const problemBytes = 1 << 20

// do makes a call; the caller closes the body. A status above 299 is returned as a *Problem.
func (c *Client) do(ctx context.Context, method, path string, body io.Reader, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.Base, "/")+"/api/v1"+path, body)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, header)
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		if bad, ok := errors.AsType[*url.Error](err); ok {
			err = bad.Err
		}
		return nil, fmt.Errorf("%s: %w", c.Base, err)
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	p := &Problem{Status: res.StatusCode, Title: http.StatusText(res.StatusCode)}
	text, _ := io.ReadAll(io.LimitReader(res.Body, problemBytes))
	if json.Unmarshal(text, p) != nil || p.Status != res.StatusCode {
		p.Status, p.Detail = res.StatusCode, fmt.Sprintf("%s: %s", c.Base, res.Status)
	}
	return nil, p
}

// call sends in as JSON, if it is not nil, and returns the answer.
func call[T any](ctx context.Context, c *Client, method, path string, in any, header http.Header) (out T, err error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return out, err
		}
		body = bytes.NewReader(text)
		if header == nil {
			header = http.Header{}
		}
		header.Set("Content-Type", "application/json")
	}
	res, err := c.do(ctx, method, path, body, header)
	if err != nil {
		return out, err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return out, fmt.Errorf("%s: an answer that is none of a tarry server: %w", c.Base, err)
	}
	return out, nil
}

// all fetches all pages of a list.
func all[T any](ctx context.Context, c *Client, path string, query url.Values) (list []T, _ error) {
	if query == nil {
		query = url.Values{}
	}
	query.Set("limit", "1000")
	for {
		page, err := call[Page[T]](ctx, c, http.MethodGet, path+"?"+query.Encode(), nil, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, page.Items...)
		if page.Next == "" {
			return list, nil
		}
		query.Set("after", page.Next)
	}
}

// pollEvery is the interval at which Wait polls a job.
const pollEvery = 200 * time.Millisecond

// Wait polls a job until it has ended. It calls look, if not nil, after each poll.
func (c *Client) Wait(ctx context.Context, id int64, look func(Job)) (Job, error) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		job, err := c.Job(ctx, id)
		if err != nil {
			return job, err
		}
		if look != nil {
			look(job)
		}
		if Ended(job.State) {
			return job, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return job, context.Cause(ctx)
		}
	}
}
