package s3

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/tarry-mr/tarry/dfs/stores"
)

// info is the fs.FileInfo of an object or a directory. A directory is a prefix of keys.
type info struct {
	name     string
	size     int64
	modified time.Time
	etag     string
	dir      bool
}

// Name implements fs.FileInfo, like the following methods.
func (i info) Name() string { return path.Base(i.name) }

// Size returns the size in bytes.
func (i info) Size() int64 { return i.size }

// ModTime is zero for directories.
func (i info) ModTime() time.Time { return i.modified }

// IsDir reports whether the name is a directory, which in S3 is a prefix of keys.
func (i info) IsDir() bool { return i.dir }

// Mode returns 0755 for directories and 0644 for objects, since S3 has no permissions.
func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}

// Sys returns the ETag.
func (i info) Sys() any {
	if i.etag == "" {
		return nil
	}
	return stores.Version(i.etag)
}

func infoOf(o minio.ObjectInfo) info {
	return info{name: o.Key, size: o.Size, modified: o.LastModified, etag: o.ETag}
}

// Stat implements fs.StatFS.
func (s *store) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	if name != "." {
		o, err := s.core.StatObject(ctx(), s.bucket, name, minio.StatObjectOptions{})
		if err == nil {
			return infoOf(o), nil
		}
		if !absent(err) {
			return nil, s.failed("stat", name, err)
		}
	}
	page, err := s.core.ListObjectsV2(s.bucket, below(name), "", "", "", 1)
	switch {
	case err != nil:
		return nil, s.failed("stat", name, err)
	case len(page.Contents) == 0 && name != ".":
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return info{name: name, dir: true}, nil
}

// below returns the prefix that the keys of all objects in a directory have.
func below(dir string) string {
	if dir == "." {
		return ""
	}
	return dir + "/"
}

// each calls do for each entry of a listing, and requests page after page.
func (s *store) each(prefix, delimiter string, do func(o minio.ObjectInfo, dir bool) error) error {
	for next := ""; ; {
		page, err := s.core.ListObjectsV2(s.bucket, prefix, "", next, delimiter, 1000)
		if err != nil {
			return err
		}
		for _, o := range page.Contents {
			if err := do(o, false); err != nil {
				return err
			}
		}
		for _, p := range page.CommonPrefixes {
			if err := do(minio.ObjectInfo{Key: strings.TrimSuffix(p.Prefix, "/")}, true); err != nil {
				return err
			}
		}
		if next = page.NextContinuationToken; !page.IsTruncated || next == "" {
			return nil
		}
	}
}

// ReadDir implements fs.ReadDirFS. It skips a key that ends with a slash: it marks its directory.
func (s *store) ReadDir(name string) ([]fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "list", Path: name, Err: fs.ErrInvalid}
	}
	var list []fs.DirEntry
	found := false
	err := s.each(below(name), "/", func(o minio.ObjectInfo, dir bool) error {
		found = true
		switch {
		case dir:
			if fs.ValidPath(o.Key) {
				list = append(list, fs.FileInfoToDirEntry(info{name: o.Key, dir: true}))
			}
		case !strings.HasSuffix(o.Key, "/"):
			list = append(list, fs.FileInfoToDirEntry(infoOf(o)))
		}
		return nil
	})
	if err != nil {
		return nil, s.failed("list", name, err)
	}
	if !found && name != "." {
		return nil, &fs.PathError{Op: "list", Path: name, Err: fs.ErrNotExist}
	}
	sortByName(list)
	return list, nil
}

// Open implements fs.FS.
func (s *store) Open(name string) (fs.File, error) {
	i, err := s.Stat(name)
	if err != nil {
		return nil, err
	}
	return &file{store: s, info: i.(info), name: name}, nil
}

// file is an open object. If the object is replaced after Open, reads fail.
type file struct {
	store *store
	info  info
	name  string
	body  io.ReadCloser // body of the current request of Read, or nil
	at    int64         // offset of Read
}

// Stat implements fs.File.
func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

// get requests the bytes in [from, to).
func (f *file) get(from, to int64) (io.ReadCloser, error) {
	var o minio.GetObjectOptions
	err := errors.Join(o.SetRange(from, to-1), o.SetMatchETag(f.info.etag))
	if err != nil {
		return nil, err
	}
	body, _, _, err := f.store.core.GetObject(ctx(), f.store.bucket, f.name, o)
	return body, err
}

// failed returns the error of a read. If the object was replaced, the error says so.
func (f *file) failed(err error) error {
	if minio.ToErrorResponse(err).Code == minio.PreconditionFailed {
		return &fs.PathError{Op: "read", Path: f.name, Err: fmt.Errorf("another object has taken its place: %w", fs.ErrNotExist)}
	}
	return f.store.failed("read", f.name, err)
}

// ReadAt implements io.ReaderAt. Each call sends one request.
func (f *file) ReadAt(p []byte, off int64) (n int, err error) {
	end := min(off+int64(len(p)), f.info.size)
	switch {
	case f.info.dir || off < 0:
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrInvalid}
	case len(p) == 0:
		return 0, nil
	case off >= end:
		return 0, io.EOF
	}
	err = again(func() error {
		body, err := f.get(off+int64(n), end)
		if err != nil {
			return err
		}
		defer body.Close()
		k, err := io.ReadFull(body, p[n:end-off])
		n += k
		return err
	})
	if err != nil {
		return n, f.failed(err)
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Read implements fs.File. It reads one response, and requests the rest if the connection breaks.
func (f *file) Read(p []byte) (n int, err error) {
	switch {
	case f.info.dir:
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrInvalid}
	case f.at >= f.info.size:
		return 0, io.EOF
	}
	err = again(func() error {
		if f.body == nil {
			body, err := f.get(f.at, f.info.size)
			if err != nil {
				return err
			}
			f.body = body
		}
		if n, err = f.body.Read(p); n > 0 {
			return nil // the next read returns the error, if it matters
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			_ = f.Close() // the connection is broken
		}
		return err
	})
	f.at += int64(n)
	if err != nil {
		return n, f.failed(err)
	}
	return n, nil
}

// Close implements fs.File.
func (f *file) Close() error {
	body := f.body
	if f.body = nil; body == nil {
		return nil
	}
	return body.Close()
}
