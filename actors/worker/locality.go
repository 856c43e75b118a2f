package worker

import (
	"context"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// hostLookup is the time limit for finding the addresses of hosts.
const hostLookup = 2 * time.Second

// preferredHosts returns, per split, the names and addresses of the hosts with its bytes, as an
// engine may know hosts by either; nil if no split has hosts.
func preferredHosts(ctx context.Context, splits []cluster.Split) (list [][]string) {
	if !anyHosts(splits) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, hostLookup)
	defer cancel()
	known := map[string][]string{}
	for _, s := range splits {
		hosts := []string{}
		for _, name := range s.Hosts {
			if known[name] == nil {
				addresses, _ := net.DefaultResolver.LookupHost(ctx, name) // after an error, the name alone remains
				known[name] = append([]string{name}, addresses...)
			}
			hosts = append(hosts, known[name]...)
		}
		slices.Sort(hosts)
		list = append(list, slices.Compact(hosts))
	}
	return list
}

// anyHosts reports whether the hosts of at least one split are known.
func anyHosts(splits []cluster.Split) bool {
	return slices.ContainsFunc(splits, func(s cluster.Split) bool { return len(s.Hosts) > 0 })
}

// countLocality counts a map by the place where it has run. The worker does not know racks. Splits
// without hosts are not counted.
func countLocality(c *counter.Set, hosts []string) {
	if len(hosts) == 0 {
		return
	}
	name := "Other local map tasks"
	if slices.ContainsFunc(hosts, isThisHost) {
		name = "Data-local map tasks"
	}
	c.AddNamed(counter.GroupJob, name, 1)
}

// isThisHost reports whether a name or an address is one of this host. Of two names, one may lack
// the domain.
func isThisHost(host string) bool {
	own, _ := os.Hostname() // after an error, the addresses remain
	host, own = strings.ToLower(host), strings.ToLower(own)
	if own != "" && (host == own || strings.HasPrefix(host, own+".") || strings.HasPrefix(own, host+".")) {
		return true
	}
	ip := net.ParseIP(host)
	addresses, _ := net.InterfaceAddrs() // after an error, there are no addresses
	return ip != nil && slices.ContainsFunc(addresses, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}
