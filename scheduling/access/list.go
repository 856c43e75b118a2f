package access

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// List is an access control list in Hadoop's form: users, and groups whose members are included.
// The zero value admits nobody.
type List struct {
	Everybody bool
	Users     []string // sorted, each once
	Groups    []string // sorted, each once
}

// ParseList parses a list in Hadoop's form: user names separated by commas, one space, group names
// separated by commas: "ann,bob ops,research". Either part may be missing ("ann", " ops"). "*" is
// everybody; a single space, or nothing, is nobody. Input that Hadoop would silently misread is an
// error: more than one space, a star among names, repeated names.
func ParseList(s string) (List, error) {
	if strings.TrimSpace(s) == "*" {
		return List{Everybody: true}, nil
	}
	users, groups, _ := strings.Cut(s, " ")
	if strings.ContainsFunc(groups, unicode.IsSpace) || strings.ContainsFunc(users, unicode.IsSpace) {
		return List{}, fmt.Errorf("%.40q has more than one space; want user1,user2 group1,group2, or * or a single space", s)
	}
	var l List
	var err error
	if l.Users, err = names(users, "user"); err != nil {
		return List{}, err
	}
	if l.Groups, err = names(groups, "group"); err != nil {
		return List{}, err
	}
	return l, nil
}

// names returns the comma-separated names of s, sorted, or an error about a bad or repeated one.
func names(s, what string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	list := strings.Split(s, ",")
	slices.Sort(list)
	for i, name := range list {
		switch reason := NameFault(name); {
		case reason != "":
			return nil, fmt.Errorf("a %s name %s in %.40q", what, reason, s)
		case strings.Contains(name, "*"):
			return nil, fmt.Errorf("%.40q among %s names; * alone means everybody", name, what)
		case i > 0 && list[i-1] == name:
			return nil, fmt.Errorf("%s %.40s is listed twice", what, name)
		}
	}
	return list, nil
}

// With returns the union of l and o.
func (l List) With(o List) List {
	both := func(a, b []string) []string {
		list := slices.Concat(a, b)
		slices.Sort(list)
		return slices.Compact(list)
	}
	return List{l.Everybody || o.Everybody, both(l.Users, o.Users), both(l.Groups, o.Groups)}
}

// String returns the list in the form that ParseList reads: a single space for nobody.
func (l List) String() string {
	if l.Everybody {
		return "*"
	}
	s := strings.Join(l.Users, ",")
	if len(l.Groups) > 0 || s == "" {
		s += " " + strings.Join(l.Groups, ",")
	}
	return s
}

// describe returns the list as an error message shows it: quoted, or "everybody", "nobody".
func (l List) describe() string {
	switch {
	case l.Everybody:
		return "everybody"
	case len(l.Users) == 0 && len(l.Groups) == 0:
		return "nobody"
	}
	return fmt.Sprintf("%q", l.String())
}

// Admits reports whether the list contains `who` or one of the groups of `who`.
func (l List) Admits(who Principal) bool {
	if l.Everybody || slices.Contains(l.Users, who.User) && who.User != "" {
		return true
	}
	return slices.ContainsFunc(who.Groups, func(g string) bool { return g != "" && slices.Contains(l.Groups, g) })
}

// Principal is the user who makes a request. The master authenticates it; it is never read from a
// job's properties.
type Principal struct {
	User   string
	Groups []string
}

// NameFault returns what is wrong with the name of a pool, queue, user or group, such as "is
// empty". For a valid name it returns "".
func NameFault(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "is empty"
	case strings.TrimSpace(name) != name:
		return "has spaces around it"
	case len(name) > 255:
		return "is longer than 255 bytes"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return "has control characters"
	}
	return ""
}
