package hdfs

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
)

// ticketVariable is the environment variable that names the file or cache with kinit's ticket.
const ticketVariable = "KRB5CCNAME"

// ticketPlace returns where kinit has stored its ticket: the kind, such as FILE, and the name.
func ticketPlace(getenv func(string) string) (kind, name string) {
	kind, name, ok := strings.Cut(cmp.Or(getenv(ticketVariable), "/tmp/krb5cc_"+strconv.Itoa(os.Getuid())), ":")
	if !ok {
		return "FILE", kind
	}
	return kind, name
}

// Ticket implements stores.Ticketed.
func (s *store) Ticket() (variable, file string) { return ticketVariable, s.ticket }

// ticket returns a Kerberos client that uses the ticket that kinit has stored.
func ticket(getenv func(string) string) (*client.Client, error) {
	conf, err := config.Load(cmp.Or(getenv("KRB5_CONFIG"), "/etc/krb5.conf"))
	if err != nil {
		return nil, fmt.Errorf("the configuration of Kerberos: %w", err)
	}
	kind, name := ticketPlace(getenv)
	if kind != "FILE" {
		return nil, fmt.Errorf("a Kerberos ticket in %s:%s cannot be read: want KRB5CCNAME=FILE:PATH, and kinit", kind, name)
	}
	tickets, err := credentials.LoadCCache(name)
	if err != nil {
		return nil, fmt.Errorf("no Kerberos ticket, which kinit gets: %w", err)
	}
	c, err := client.NewFromCCache(tickets, conf)
	if err != nil {
		return nil, fmt.Errorf("the Kerberos ticket in %s, which kinit renews: %w", name, err)
	}
	return c, nil
}
