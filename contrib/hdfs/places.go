package hdfs

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/jcmturner/gokrb5/v8/spnego"

	"github.com/tarry-mr/tarry/dfs/stores"
)

// web is the HTTP client for WebHDFS.
var web = http.Client{Timeout: patience}

var errSilent = errors.New("WebHDFS did not answer before")

// Places implements stores.Located. It asks WebHDFS, since the client cannot return locations.
func (s *store) Places(name string) ([]stores.Place, error) {
	ask := url.URL{
		Scheme: "http", Host: s.web, Path: "/webhdfs/v1" + at(name),
		RawQuery: url.Values{"op": {"GETFILEBLOCKLOCATIONS"}, "user.name": {s.user}}.Encode(),
	}
	if s.silent.Load() {
		return nil, failed("places", name, errSilent)
	}
	get := web.Get
	if s.kerberos != nil {
		get = spnego.NewClient(s.kerberos, &web, "").Get // it sends the ticket if the server asks for one
	}
	r, err := get(ask.String())
	if err != nil {
		s.silent.Store(true) // do not wait for this timeout for each file
		return nil, failed("places", name, err)
	}
	defer r.Body.Close()
	var answer struct {
		BlockLocations struct {
			BlockLocation []struct {
				Offset, Length int64
				Hosts          []string
			}
		}
	}
	if r.StatusCode != http.StatusOK {
		return nil, failed("places", name, fmt.Errorf("WebHDFS: %s", r.Status))
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		return nil, failed("places", name, fmt.Errorf("WebHDFS: %w", err))
	}
	var list []stores.Place
	for _, b := range answer.BlockLocations.BlockLocation {
		list = append(list, stores.Place{Offset: b.Offset, Length: b.Length, Hosts: b.Hosts})
	}
	return list, nil
}
