package s3

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/tarry-mr/tarry/dfs/stores"
)

const (
	pieceBytes = 16 << 20
	// growEvery is the number of pieces after which pieces become four times as large, since an
	// upload has at most 10,000.
	growEvery = 2500
	// tokenKey is the metadata key under which an object stores which upload made it.
	tokenKey = "Tarry-Part"
)

// pieceSize returns the bytes of an upload's piece with this number, from 1.
func pieceSize(number int) int { return pieceBytes << (2 * ((number - 1) / growEvery)) }

// upload is a part of an output before its commit: a multipart upload.
type upload struct {
	store *store
	name  string
	buf   []byte
	err   error
	done  receipt
}

// receipt is what completes an upload.
type receipt struct {
	Upload string   `json:"upload,omitempty"` // "" for an empty object
	Token  string   `json:"token"`
	ETags  []string `json:"etags,omitempty"` // of its pieces
}

// Begin implements stores.Store. It sends nothing; Write starts the upload when a piece is full.
func (s *store) Begin(name, attempt string) (stores.Part, error) {
	if !fs.ValidPath(name) || name == "." {
		return nil, &fs.PathError{Op: "write", Path: name, Err: fs.ErrInvalid}
	}
	return &upload{store: s, name: name, done: receipt{Token: attempt + "-" + rand.Text()}}, nil
}

// Write implements io.Writer.
func (u *upload) Write(p []byte) (n int, err error) {
	for u.err == nil && len(p) > 0 {
		size := pieceSize(len(u.done.ETags) + 1)
		k := min(len(p), size-len(u.buf))
		if u.buf == nil {
			u.buf = make([]byte, 0, min(size, max(k, 64<<10)))
		}
		u.buf = append(u.buf, p[:k]...)
		p, n = p[k:], n+k
		if len(u.buf) == size {
			u.send()
		}
	}
	return n, u.err
}

// send uploads the current piece.
func (u *upload) send() {
	s, number := u.store, len(u.done.ETags)+1
	u.err = again(func() (err error) {
		if u.done.Upload == "" {
			u.done.Upload, err = s.core.NewMultipartUpload(ctx(), s.bucket, u.name, u.done.options())
			if err != nil {
				return err
			}
		}
		piece, err := s.core.PutObjectPart(ctx(), s.bucket, u.name, u.done.Upload, number, bytes.NewReader(u.buf), int64(len(u.buf)),
			minio.PutObjectPartOptions{})
		if err == nil {
			u.done.ETags = append(u.done.ETags, piece.ETag)
		}
		return err
	})
	if u.err != nil {
		u.err = s.failed("write", u.name, u.err)
	}
	u.buf = u.buf[:0]
}

func (r *receipt) options() minio.PutObjectOptions {
	return minio.PutObjectOptions{UserMetadata: map[string]string{tokenKey: r.Token}}
}

// Close implements io.Closer.
func (u *upload) Close() error {
	if u.err == nil && len(u.buf) > 0 {
		u.send()
	}
	u.buf = nil
	return u.err
}

// Receipt implements stores.Part.
func (u *upload) Receipt() string {
	b, _ := json.Marshal(u.done) // no error: it consists of strings
	return string(b)
}

// Abort implements stores.Part.
func (u *upload) Abort() error {
	u.buf, u.err = nil, cmp.Or(u.err, error(&fs.PathError{Op: "write", Path: u.name, Err: fs.ErrClosed}))
	if u.done.Upload == "" {
		return nil
	}
	return u.store.drop(u.name, u.done.Upload)
}

// drop aborts an upload; a missing upload is not an error.
func (s *store) drop(name, id string) error {
	err := s.core.AbortMultipartUpload(ctx(), s.bucket, name, id)
	if err != nil && !absent(err) {
		return s.failed("abort", name, err)
	}
	return nil
}

// Complete implements stores.Store. If the upload is missing, an earlier request may have completed
// it and its answer was lost. Then the object's metadata has the receipt's token.
func (s *store) Complete(name, text string) error {
	var r receipt
	if err := json.Unmarshal([]byte(text), &r); err != nil || r.Token == "" {
		return &fs.PathError{Op: "complete", Path: name, Err: fmt.Errorf("%.80q is no receipt of an upload", text)}
	}
	err := again(func() error {
		if r.Upload == "" {
			_, err := s.core.PutObject(ctx(), s.bucket, name, bytes.NewReader(nil), 0, "", "", r.options())
			return err
		}
		pieces := make([]minio.CompletePart, len(r.ETags))
		for i, etag := range r.ETags {
			pieces[i] = minio.CompletePart{PartNumber: i + 1, ETag: etag}
		}
		_, err := s.core.CompleteMultipartUpload(ctx(), s.bucket, name, r.Upload, pieces, minio.PutObjectOptions{})
		return err
	})
	if err != nil && r.Upload != "" && s.made(name, r.Token) {
		return nil
	}
	if err != nil {
		return s.failed("complete", name, err)
	}
	return nil
}

// made reports whether the object's metadata has this token: the token's upload made the object.
func (s *store) made(name, token string) bool {
	o, err := s.core.StatObject(ctx(), s.bucket, name, minio.StatObjectOptions{})
	return err == nil && o.Metadata.Get("X-Amz-Meta-"+tokenKey) == token
}

// AbandonAll implements stores.Store.
func (s *store) AbandonAll(dir string) error {
	for key, id := "", ""; ; {
		page, err := s.core.ListMultipartUploads(ctx(), s.bucket, below(dir), key, id, "", 1000)
		if err != nil {
			return s.failed("list uploads", dir, err)
		}
		for _, u := range page.Uploads {
			if !strings.HasPrefix(u.Key, below(dir)) { // some servers ignore the prefix
				continue
			}
			if err := s.drop(u.Key, u.UploadID); err != nil {
				return err
			}
		}
		if key, id = page.NextKeyMarker, page.NextUploadIDMarker; !page.IsTruncated || key == "" {
			return nil
		}
	}
}

// CreateNew implements stores.Store.
func (s *store) CreateNew(name string, data []byte) error {
	var o minio.PutObjectOptions
	o.SetMatchETagExcept("*")
	_, err := s.core.PutObject(ctx(), s.bucket, name, bytes.NewReader(data), int64(len(data)), "", "", o)
	if err != nil && slices.Contains([]string{"ConditionalRequestConflict", "OperationAborted"}, minio.ToErrorResponse(err).Code) {
		err = fs.ErrExist // another client is creating it now
	}
	if err != nil {
		return s.failed("create", name, err)
	}
	return nil
}

// RemoveAll implements stores.Store.
func (s *store) RemoveAll(name string) error {
	remove := func(key string) error {
		err := s.core.RemoveObject(ctx(), s.bucket, key, minio.RemoveObjectOptions{})
		if err != nil && !absent(err) {
			return s.failed("remove", key, err)
		}
		return nil
	}
	if err := remove(name); err != nil {
		return err
	}
	var keys []string
	err := s.each(below(name), "", func(o minio.ObjectInfo, _ bool) error {
		keys = append(keys, o.Key)
		return nil
	})
	if err != nil {
		return s.failed("remove", name, err)
	}
	for _, key := range keys {
		err = errors.Join(err, remove(key))
	}
	return err
}

// sortByName sorts entries by name. S3 sorts by key, and a directory's key ends with a slash.
func sortByName(list []fs.DirEntry) {
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}
