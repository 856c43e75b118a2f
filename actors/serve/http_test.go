package serve

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// do sends a request. A body without a Content-Type header gets that of JSON.
func (b *bench) do(method, path, body string, header http.Header) (*http.Response, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(body))
	require.NoError(b.t, err)
	maps.Copy(req.Header, header)
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	if body != "" && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := b.HTTP.Do(req)
	require.NoError(b.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(b.t, err)
	return res, string(text)
}

// text sends a request, which must succeed, and returns the body of the answer.
func (b *bench) text(method, path, body string, header http.Header) string {
	b.t.Helper()
	res, text := b.do(method, path, body, header)
	require.Equal(b.t, http.StatusOK, res.StatusCode, text)
	return text
}

// pageOf calls keep only until the page is full, since keep may be expensive.
func TestPageAsksAboutItsItemsOnly(t *testing.T) {
	list := make([]int, 1000)
	for i := range list {
		list[i] = i
	}
	asked := 0
	even := func(n int) bool { asked++; return n%2 == 0 }
	after, got := "", 0
	for pages := 1; ; pages++ {
		r := httptest.NewRequest(http.MethodGet, fmt.Sprintf("/?limit=100&after=%s", after), nil)
		p, err := pageOf(r, list, even, strconv.Itoa, lessNumber)
		require.NoError(t, err)
		for _, n := range p.Items {
			require.Equal(t, 2*got, n)
			got++
		}
		if after = p.Next; after == "" {
			require.Equal(t, 5, pages)
			break
		}
	}
	require.Equal(t, 500, got)
	require.LessOrEqual(t, asked, 1010, "but for what tells that there is a next page, each once")
}
