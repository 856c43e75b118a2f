package serve

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// pageOf calls keep only until the page is full, since keep may be expensive.
func TestPageAsksAboutItsItemsOnly(t *testing.T) {
	list := make([]int, 1000)
	for i := range list {
		list[i] = i
	}
	asked := 0
	even := func(n *int) bool { asked++; return *n%2 == 0 }
	after, got := "", 0
	for pages := 1; ; pages++ {
		r := httptest.NewRequest(http.MethodGet, fmt.Sprintf("/?limit=100&after=%s", after), nil)
		p, err := pageOf(r, list, even, func(n *int) string { return strconv.Itoa(*n) }, func(n *int, after string) bool {
			last, err := strconv.Atoi(after)
			return err == nil && *n > last
		})
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
