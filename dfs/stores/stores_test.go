package stores_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs/stores"
)

type rooted struct {
	stores.Store
	root string
}

// Root implements stores.Rooted.
func (r rooted) Root() string { return r.root }

// test://, without a host, opens the same host in another process as in the first: Roots and Use
// pass the name that the first one resolved.
func TestRoots(t *testing.T) {
	opened := ""
	stores.Register("test", func(host string) (stores.Store, error) {
		if opened = host; host == "none" {
			return nil, errors.New("nobody is there")
		}
		return rooted{root: "test://ada@server:1"}, nil
	})
	_, within, err := stores.Open("test:///books/a")
	require.NoError(t, err)
	require.Equal(t, "books/a", within)
	_, _, err = stores.Open("test://none/a")
	require.Error(t, err)
	require.Equal(t, map[string]string{"test://": "test://ada@server:1"}, stores.Roots())

	stores.Use(map[string]string{"test://books": "test://ada@server:1"})
	defer stores.Use(nil)
	_, within, err = stores.Open("test://books/b")
	require.NoError(t, err)
	require.Equal(t, "b", within)
	require.Equal(t, "ada@server:1", opened)
}
