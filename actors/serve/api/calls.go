package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Server returns information about the server.
func (c *Client) Server(ctx context.Context) (Server, error) {
	return call[Server](ctx, c, http.MethodGet, "/server", nil, nil)
}

// Submit submits a job. Submitting twice with the same key, any text of up to 200 bytes, creates
// one job, so a call without an answer can be repeated. With an empty key every call creates a job.
func (c *Client) Submit(ctx context.Context, s Submission, key string) (Job, error) {
	header := http.Header{}
	if key != "" {
		header.Set("Idempotency-Key", key)
	}
	return call[Job](ctx, c, http.MethodPost, "/jobs", s, header)
}

// Jobs lists the jobs, the last submitted first. A non-empty state, which may be AnyEnd, or user
// selects jobs in that state or of that user.
func (c *Client) Jobs(ctx context.Context, state, user string) ([]Job, error) {
	return all[Job](ctx, c, "/jobs", url.Values{"state": {state}, "user": {user}})
}

// Job returns a job.
func (c *Client) Job(ctx context.Context, id int64) (Job, error) {
	return call[Job](ctx, c, http.MethodGet, jobPath(id, ""), nil, nil)
}

// Counters returns the counters of a job.
func (c *Client) Counters(ctx context.Context, id int64) (Counters, error) {
	return call[Counters](ctx, c, http.MethodGet, jobPath(id, "/counters"), nil, nil)
}

// Kill ends a job and records the reason. It does not change a job that has ended.
func (c *Client) Kill(ctx context.Context, id int64, reason string) (Job, error) {
	return call[Job](ctx, c, http.MethodPost, jobPath(id, "/kill"), Kill{Reason: reason}, nil)
}

// SetPriority changes the priority of a job.
func (c *Client) SetPriority(ctx context.Context, id int64, priority string) (Job, error) {
	return call[Job](ctx, c, http.MethodPost, jobPath(id, "/priority"), SetPriority{Priority: priority}, nil)
}

// SetPool moves a job to another pool or queue.
func (c *Client) SetPool(ctx context.Context, id int64, pool string) (Job, error) {
	return call[Job](ctx, c, http.MethodPost, jobPath(id, "/pool"), SetPool{Pool: pool}, nil)
}

func jobPath(id int64, what string) string { return fmt.Sprintf("/jobs/%d%s", id, what) }

// Nodes lists the nodes.
func (c *Client) Nodes(ctx context.Context) ([]Node, error) {
	return all[Node](ctx, c, "/nodes", nil)
}

// Node applies an action to a node: cordon, uncordon, drain, kill or start.
func (c *Client) Node(ctx context.Context, name, what string) (Node, error) {
	return call[Node](ctx, c, http.MethodPost, "/nodes/"+url.PathEscape(name)+"/"+what, nil, nil)
}

// Policy returns the current scheduler and its settings.
func (c *Client) Policy(ctx context.Context) (Policy, error) {
	return call[Policy](ctx, c, http.MethodGet, "/policy", nil, nil)
}

// Reconfigure changes settings of the scheduler, all or none.
func (c *Client) Reconfigure(ctx context.Context, change PolicyChange) (Policy, error) {
	return call[Policy](ctx, c, http.MethodPost, "/policy", change, nil)
}

// Reload makes the server read its configuration files again.
func (c *Client) Reload(ctx context.Context) (Reload, error) {
	return call[Reload](ctx, c, http.MethodPost, "/policy/reload", nil, nil)
}

// Files lists a directory of the block store; "" is the root.
func (c *Client) Files(ctx context.Context, dir string) ([]File, error) {
	return all[File](ctx, c, "/files", url.Values{"path": {dir}})
}

// Put writes a file to the block store; the file must not exist.
func (c *Client) Put(ctx context.Context, name string, content io.Reader) error {
	header := http.Header{"Content-Type": {"application/octet-stream"}}
	return done(c.do(ctx, http.MethodPut, filePath(name), content, header))
}

// Get reads a file of the block store; the caller closes it.
func (c *Client) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	res, err := c.do(ctx, http.MethodGet, filePath(name), nil, nil)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// Remove removes a file of the block store, or a directory with all that is in it.
func (c *Client) Remove(ctx context.Context, name string) error {
	return done(c.do(ctx, http.MethodDelete, filePath(name), nil, nil))
}

// done closes the answer to a call whose body says nothing new.
func done(res *http.Response, err error) error {
	if err != nil {
		return err
	}
	return res.Body.Close()
}

func filePath(name string) string { return (&url.URL{Path: "/files/" + name}).EscapedPath() }
