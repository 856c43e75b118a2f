// Package s3 makes s3://BUCKET/KEY (and s3a://) inputs and outputs of jobs, wherever a program imports it:
//
//	import _ "github.com/tarry-mr/tarry/contrib/s3"
//
// Keys are found, and their server, as other tools do it: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with
// AWS_SESSION_TOKEN), the profile of AWS_PROFILE in ~/.aws/credentials, or the role of the machine;
// AWS_REGION; AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL for a server that is not Amazon's.
//
// A part of an output is an upload in pieces that is not completed: nobody sees it, and completing it is
// its commit. What attempts leave that were killed is dropped when the job ends; an attempt that
// outlives its job may leave one behind, which a rule of the bucket for incomplete uploads removes. A
// writer holds one piece in memory: 16 MiB, and more from the 2,500th on.
package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/tarry-mr/tarry/dfs/stores"
)

func init() {
	stores.Register("s3", open)
	stores.Register("s3a", open)
}

func open(bucket string) (stores.Store, error) {
	if bucket == "" {
		return nil, errors.New("no bucket: want s3://BUCKET/KEY")
	}
	return New(bucket, os.Getenv)
}

// store is a bucket.
type store struct {
	core   minio.Core
	bucket string
}

const (
	// attempts is how often a request is made that fails for reasons that pass.
	attempts = 4
	// patience is how long the server may take to connect, and then to answer.
	patience      = 10 * time.Second
	answerTimeout = 60 * time.Second
)

// New returns the store of a bucket; getenv has the variables that the package doc names.
func New(bucket string, getenv func(string) string) (stores.Store, error) {
	endpoint := cmp.Or(getenv("AWS_ENDPOINT_URL_S3"), getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("AWS_ENDPOINT_URL: %s: want http://HOST:PORT or https://HOST", endpoint)
	}
	transport, err := minio.DefaultTransport(at.Scheme == "https")
	if err != nil {
		return nil, err
	}
	transport.DialContext = (&net.Dialer{Timeout: patience}).DialContext
	transport.ResponseHeaderTimeout = answerTimeout
	core, err := minio.NewCore(at.Host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: &http.Client{Timeout: patience}},
		}),
		Secure:     at.Scheme == "https",
		Transport:  transport,
		Region:     cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")),
		MaxRetries: attempts,
	})
	if err != nil {
		return nil, err
	}
	return &store{core: *core, bucket: bucket}, nil
}

// failed is an error of the server about a name, in few words.
func (s *store) failed(op, name string, err error) error {
	var refused minio.ErrorResponse
	if !errors.As(err, &refused) {
		if at, ok := errors.AsType[*url.Error](err); ok {
			err = at.Err
		}
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	switch refused.Code {
	case minio.NoSuchKey, "NotFound":
		err = fs.ErrNotExist
	case minio.PreconditionFailed:
		err = fs.ErrExist
	case minio.AccessDenied:
		err = fmt.Errorf("%w: %s", fs.ErrPermission, refused.Message)
	default:
		err = fmt.Errorf("%s (%s)", cmp.Or(refused.Message, "the server refuses it"), refused.Code)
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// absent reports whether an error is that of an object, or an upload, that is not there.
func absent(err error) bool {
	code := minio.ToErrorResponse(err).Code
	return code == minio.NoSuchKey || code == minio.NoSuchUpload || code == "NotFound"
}

// again calls do until it succeeds, fails for good, or has failed attempts times. The client does so, too, but
// not where a connection breaks while a body goes over it.
func again(do func() error) (err error) {
	wait := 100 * time.Millisecond
	for n := range attempts {
		if n > 0 {
			time.Sleep(wait)
			wait *= 4
		}
		err = do()
		var refused minio.ErrorResponse
		if err == nil || errors.As(err, &refused) && refused.StatusCode < 500 {
			return err
		}
	}
	return err
}

// ctx is that of requests: they end by timeouts, for a Store knows no contexts.
func ctx() context.Context { return context.Background() }
