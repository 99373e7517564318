package knowledge

import (
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// HonorsCtx says whether a deadline in the context bounds the calls of a client that take one.
type HonorsCtx uint8

// The answers, measured against servers that refuse, drop, stay silent or go silent (data/dependencies.yaml). CtxDepends: on
// the driver or on how the context is handed over.
const (
	CtxUnknown HonorsCtx = iota
	CtxYes
	CtxNo
	CtxPartly
	CtxDepends
)

var honorsNames = [...]string{"", "yes", "no", "partly", "depends"}

// String is the name used in data/dependencies.yaml.
func (h HonorsCtx) String() string {
	if int(h) < len(honorsNames) {
		return honorsNames[h]
	}
	return "?"
}

// Client is a library that talks to another system.
type Client struct {
	Entry   string // stable id: "go-redis.v9"
	Kind    string
	Display string // what people call the other system: "PostgreSQL", "HTTP service"
	Shared  bool   // all replicas use the same system; false: it lies in the pod
	// Honors: whether a context deadline bounds a call. CtxIf is the "Type.Field" that makes it so when it is set; CtxNote why.
	Honors  HonorsCtx
	CtxIf   string
	CtxNote string
	// NoDeadlineSeconds is how long a call without a deadline lasts at worst by the client's own limits; 0: nothing limits it.
	// Where it differs by version it is that of the oldest one, and Limit tells.
	NoDeadlineSeconds float64
	NoDeadlineNote    string
	// ErrIn are the methods or fields of a result that hold the error of a call without an error result: Err of a Redis
	// command, Error of gorm's DB, Scan of a row.
	ErrIn    []string
	Timeouts []Timeout
	Since    []Since // rising versions
}

// Since is a limit of a client from a version of a module on.
type Since struct {
	Module, Version string // "github.com/redis/go-redis/v9", "v9.22.0"
	Seconds         float64
}

// Limit is NoDeadlineSeconds as the versions that a program is built with have it. version is the one of a module; of "",
// which is not known, and of what is no version the limit of the oldest one counts.
func (c Client) Limit(version func(module string) string) float64 {
	limit := c.NoDeadlineSeconds
	for _, s := range c.Since {
		if v := version(s.Module); semver.IsValid(v) && semver.Compare(v, s.Version) >= 0 {
			limit = s.Seconds
		}
	}
	return limit
}

// Bounded reports whether the client itself limits a call that has no deadline.
func (c Client) Bounded() bool { return c.NoDeadlineSeconds > 0 }

// Timeout is a default limit of a library.
type Timeout struct {
	Name    string
	Seconds float64 // 0: none
	Default string  // as the library has it: "5s", "none"
	Scope   string  // total, connect, read, write, pool_wait, retry, cache, ...
	SetIn   string
}

// LookupClient finds a client by its id.
func (b *Base) LookupClient(entry string) (Client, bool) {
	for ; b != nil; b = b.below {
		if c, ok := byKey(b.Clients, func(c *Client) string { return c.Entry }, entry); ok {
			return c, true
		}
	}
	return Client{}, false
}

// LookupClient asks [Default].
func LookupClient(entry string) (Client, bool) { return Default().LookupClient(entry) }

// Driver is a database/sql driver.
type Driver struct {
	Name    string // as in sql.Open, or an import path whose blank import registers it
	Display string // "PostgreSQL"
	Entry   string // id of the Client whose limits hold; "" where it is not known
	File    bool   // a local file or memory: nothing that replicas share
}

// LookupDriver finds a driver by the name given to sql.Open, or by the import path of the package that registers it.
func (b *Base) LookupDriver(name string) (Driver, bool) {
	for ; b != nil; b = b.below {
		if d, ok := byKey(b.Drivers, func(d *Driver) string { return d.Name }, name); ok {
			return d, true
		}
		if strings.Contains(name, "/") {
			stem, _ := splitVersion(name)
			for _, d := range b.Drivers {
				if s, _ := splitVersion(d.Name); s == stem {
					return d, true
				}
			}
		}
	}
	return Driver{}, false
}

// LookupDriver asks [Default].
func LookupDriver(name string) (Driver, bool) { return Default().LookupDriver(name) }

// DriverName is what people call the database behind a sql.Open driver name; "" where it is not known. A driver whose
// database is a local file says so in LookupDriver.
func DriverName(name string) string {
	d, _ := LookupDriver(name)
	return d.Display
}

// Setting is a place where a program can bound the calls of a client: a struct field, an option function or a parameter of the
// data source name.
type Setting struct {
	Path, Recv, Name string // a field: Recv and Name; a function or method: Name; a DSN parameter: Recv "dsn", Name the parameter
	Entry            string // id of the Client
	Scope            string // total, connect, read, write, pool_wait, server_selection, ctx
	Dur              int    // index of the duration of a function; -1 for a field or DSN parameter
	Unit             string // "" for a time.Duration, else s or ms; duration for a text such as "5s"
	Default          float64
}

func (s *Setting) symbol() (path, recv, name string) { return s.Path, s.Recv, s.Name }

// LookupSetting finds a setting by import path, receiver type or struct type, and name.
func (b *Base) LookupSetting(path, recv, name string) (Setting, bool) {
	for ; b != nil; b = b.below {
		if p := b.pkg(path); p != nil {
			if s, ok := find(b.tables.Settings, p.settings, (*Setting).symbol, recv, name); ok {
				return s, true
			}
		}
	}
	return Setting{}, false
}

// LookupSetting asks [Default].
func LookupSetting(path, recv, name string) (Setting, bool) {
	return Default().LookupSetting(path, recv, name)
}

// DSNSettings are the parameters of a client's data source name, each once.
func (b *Base) DSNSettings(entry string) []Setting {
	var out []Setting
	for ; b != nil; b = b.below {
		for _, s := range b.Settings {
			if s.Recv == "dsn" && s.Entry == entry && !slices.ContainsFunc(out, func(x Setting) bool { return x.Name == s.Name }) {
				out = append(out, s)
			}
		}
	}
	return out
}

// byKey finds a row in a table sorted by one key.
func byKey[T any](table []T, key func(*T) string, want string) (T, bool) {
	return search(table, func(row *T) int { return strings.Compare(key(row), want) })
}
