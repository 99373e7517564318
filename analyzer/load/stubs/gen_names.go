//go:build ignore

package main

import (
	"regexp"
	"strings"
)

// stdByName are the packages of the standard library that signatures mention, by name.
var stdByName = map[string]string{
	"context": "context", "time": "time", "http": "net/http", "sql": "database/sql", "driver": "database/sql/driver",
	"io": "io", "net": "net", "url": "net/url", "tls": "crypto/tls", "os": "os", "netip": "net/netip", "slog": "log/slog",
	"json": "encoding/json", "bufio": "bufio", "log": "log", "sync": "sync", "big": "math/big", "fs": "io/fs",
	"multipart": "mime/multipart", "reflect": "reflect",
}

func (p *pkgSynth) kbType(name string) *symbol {
	for _, y := range p.kb[p.path] {
		if y.Recv == name || y.Kind == "type" && y.Name == name {
			return &y
		}
	}
	return nil
}

// importName imports the package that signatures of this path call so, provided that its stub has the name wanted. Of
// several the one that shares the longest prefix with this path is meant.
func (p *pkgSynth) importName(name, want string) bool {
	if p.imports[name] != "" {
		return p.has(p.imports[name], want)
	}
	if at := stdByName[name]; at != "" && p.has(at, want) {
		p.imports[name] = at
		return true
	}
	best, n := "", -1
	for _, at := range p.byName[name] {
		if at == p.path || !p.has(at, want) {
			continue
		}
		k := 0
		for k < len(at) && k < len(p.path) && at[k] == p.path[k] {
			k++
		}
		if k > n {
			best, n = at, k
		}
	}
	// A package of another host is not meant just because it has the same name, except for those that all share.
	host, _, _ := strings.Cut(p.path, "/")
	common := best != "" && (strings.HasPrefix(best, "google.golang.org/grpc") || strings.HasPrefix(best, "github.com/gin-gonic/gin"))
	if best == "" || !common && n <= len(host)+1 {
		return false
	}
	p.imports[name] = best
	return true
}

// has reports whether the stub of a path declares a name. Stubs that are made here are asked through the tables.
func (p *pkgSynth) has(at, want string) bool {
	if src := real[at]; src != nil {
		return regexp.MustCompile(`(?m)^type ` + want + `\b`).Match(src)
	}
	for _, y := range p.kb[at] {
		if y.Recv == want || y.Kind == "type" && y.Name == want || mentionsType(y, want) {
			return true
		}
	}
	return false
}

func mentionsType(y symbol, want string) bool {
	return y.Recv == "" && regexp.MustCompile(`(^|[^.\w])`+want+`\b`).MatchString(y.Sig)
}

// name is what the package of an import path is called.
func name(at string) string {
	elems := strings.Split(at, "/")
	n := elems[len(elems)-1]
	if len(elems) > 1 && regexp.MustCompile(`^v[0-9]+$`).MatchString(n) {
		n = elems[len(elems)-2]
	}
	if odd := map[string]string{
		"github.com/AppsFlyer/go-sundheit": "gosundheit", "github.com/rabbitmq/amqp091-go": "amqp091",
		"github.com/brpaz/go-healthcheck/v2": "healthcheck", "github.com/meilisearch/meilisearch-go": "meilisearch",
		"github.com/influxdata/influxdb1-client/v2": "client", "github.com/influxdata/influxdb-client-go/v2": "influxdb2",
		"k8s.io/client-go/kubernetes/typed/core/v1": "v1", "github.com/eclipse/paho.mqtt.golang": "mqtt",
		"github.com/sijms/go-ora/v2": "go_ora", "github.com/soheilhy/cmux": "cmux", "github.com/twitchtv/twirp": "twirp",
		"goji.io": "goji", "github.com/prometheus-community/pro-bing": "probing", "cloud.google.com/go/secretmanager/apiv1": "secretmanager",
		"github.com/tavsec/gin-healthcheck": "gin_healthcheck", "github.com/etherlabsio/healthcheck": "healthcheck",
		"github.com/Financial-Times/go-fthealth/v1_1": "v1_1", "github.com/vearne/gin-timeout": "timeout",
		"github.com/denisenkom/go-mssqldb": "mssql", "github.com/microsoft/go-mssqldb": "mssql",
		"github.com/apache/cassandra-gocql-driver/v2": "gocql", "resty.dev/v3": "resty",
		"go.etcd.io/etcd/client/v3": "clientv3", "github.com/hashicorp/golang-lru/v2": "lru",
	}[at]; odd != "" {
		return odd
	}
	if i := strings.LastIndex(n, ".v"); i > 0 {
		n = n[:i]
	}
	n = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(n, "go-"), "-go"), ".go")
	return strings.NewReplacer("-", "", ".", "").Replace(n)
}

// real are the stubs that were taken from real modules.
var real map[string][]byte
