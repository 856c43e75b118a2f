// Package s3 makes s3://BUCKET/KEY (and s3a://) available for inputs and outputs of jobs in
// programs that import it:
//
//	import _ "github.com/tarry-mr/tarry/contrib/s3"
//
// It finds credentials and server like other tools: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
// (with AWS_SESSION_TOKEN), the profile of AWS_PROFILE in ~/.aws/credentials, or the role of the
// machine; AWS_REGION; AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL for a server other than Amazon's.
//
// A part of an output is an incomplete multipart upload: it is invisible, and completing it is its
// commit. Uploads of killed attempts are dropped when the job ends. An attempt that outlives its
// job may leave one behind; a lifecycle rule of the bucket for incomplete uploads removes it. A
// writer holds one piece in memory: 16 MiB, and more from the 2,500th piece on.
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

// store is an S3 bucket.
type store struct {
	core   minio.Core
	bucket string
}

const (
	// attempts is the maximum number of tries for requests that fail transiently.
	attempts = 4
	// patience is the time limit for connecting to the server, and answerTimeout that for its
	// answer.
	patience      = 10 * time.Second
	answerTimeout = 60 * time.Second
)

// New returns the store of a bucket. getenv returns an environment variable; New reads those that
// the package documentation names.
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

// failed returns a short error that names the operation, the file and the server's reason.
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

// absent reports whether an error means that an object or upload does not exist.
func absent(err error) bool {
	code := minio.ToErrorResponse(err).Code
	return code == minio.NoSuchKey || code == minio.NoSuchUpload || code == "NotFound"
}

// again calls do until it succeeds, fails permanently, or has failed `attempts` times. The client
// itself retries too, but not after a connection that breaks within a body.
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

// ctx returns the context of requests: Store's methods have no contexts, so only timeouts end them.
func ctx() context.Context { return context.Background() }
