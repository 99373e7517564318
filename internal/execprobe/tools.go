package execprobe

import (
	"path"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// tool is how a command names the host that it asks. Options and defaults are from the tools' own documentation; those of
// PostgreSQL, Redis, MySQL, curl, wget, nc and etcdctl were run.
type tool struct {
	kind, name string
	// hosts are options whose value is a host, host:port, a list of those, or a URL; a letter option also takes its value
	// without a space (-hdb), a long one after "=".
	hosts []string
	// env is a variable that the tool reads where no option names the host.
	env string
	// url: the first argument that is no option is the address. valued are options whose next argument is a value.
	url    bool
	valued []string
	// remote: the tool asks a server outside the pod whatever its arguments (the API server, a broker, a metadata database).
	remote string
}

var tools = map[string]tool{
	"pg_isready":                {kind: "database", name: "PostgreSQL", hosts: []string{"-h", "--host"}, env: "PGHOST"},
	"psql":                      {kind: "database", name: "PostgreSQL", hosts: []string{"-h", "--host"}, env: "PGHOST"},
	"redis-cli":                 {kind: "cache", name: "Redis", hosts: []string{"-h", "-u"}},
	"valkey-cli":                {kind: "cache", name: "Valkey", hosts: []string{"-h", "-u"}},
	"keydb-cli":                 {kind: "cache", name: "KeyDB", hosts: []string{"-h", "-u"}},
	"mysqladmin":                {kind: "database", name: "MySQL", hosts: []string{"-h", "--host"}},
	"mariadb-admin":             {kind: "database", name: "MariaDB", hosts: []string{"-h", "--host"}},
	"mysql":                     {kind: "database", name: "MySQL", hosts: []string{"-h", "--host"}},
	"mariadb":                   {kind: "database", name: "MariaDB", hosts: []string{"-h", "--host"}},
	"mongosh":                   {kind: "database", name: "MongoDB", hosts: []string{"--host"}},
	"mongo":                     {kind: "database", name: "MongoDB", hosts: []string{"--host"}},
	"cqlsh":                     {kind: "database", name: "Cassandra", url: true, env: "CQLSH_HOST", valued: []string{"-u", "-p", "-e", "-f", "-k", "--request-timeout", "--connect-timeout"}},
	"nodetool":                  {kind: "database", name: "Cassandra", hosts: []string{"-h", "--host"}},
	"clickhouse-client":         {kind: "database", name: "ClickHouse", hosts: []string{"-h", "--host"}},
	"etcdctl":                   {kind: "coordination", name: "etcd", hosts: []string{"--endpoints"}, env: "ETCDCTL_ENDPOINTS"},
	"consul":                    {kind: "coordination", name: "Consul", hosts: []string{"-http-addr", "--http-addr"}, env: "CONSUL_HTTP_ADDR"},
	"vault":                     {kind: "secrets", name: "Vault", hosts: []string{"-address", "--address"}, env: "VAULT_ADDR"},
	"rabbitmq-diagnostics":      {kind: "queue", name: "RabbitMQ", hosts: []string{"-n", "--node"}},
	"rabbitmqctl":               {kind: "queue", name: "RabbitMQ", hosts: []string{"-n", "--node"}},
	"kafka-topics":              {kind: "queue", name: "Kafka", hosts: []string{"--bootstrap-server", "--zookeeper"}},
	"kafka-broker-api-versions": {kind: "queue", name: "Kafka", hosts: []string{"--bootstrap-server"}},
	"kafka-cluster":             {kind: "queue", name: "Kafka", hosts: []string{"--bootstrap-server"}},
	"kafka-consumer-groups":     {kind: "queue", name: "Kafka", hosts: []string{"--bootstrap-server"}},
	"grpc_health_probe":         {kind: "grpc", hosts: []string{"-addr", "--addr"}},
	"grpc-health-probe":         {kind: "grpc", hosts: []string{"-addr", "--addr"}},
	"curl":                      {kind: "http", url: true, hosts: []string{"--url"}, valued: []string{"-H", "--header", "-o", "--output", "-m", "--max-time", "-X", "--request", "-d", "--data", "-u", "--user", "-A", "--user-agent", "-w", "--write-out", "--connect-timeout", "--retry", "--retry-delay", "-b", "--cookie", "-e", "--referer", "-x", "--proxy", "--resolve", "--cacert", "--cert", "--key", "-E", "-T", "--unix-socket", "--max-redirs", "--interface"}},
	"wget":                      {kind: "http", url: true, valued: []string{"-O", "-T", "-t", "-o", "-U", "--header", "--timeout", "--tries", "--post-data"}},
	"nc":                        {kind: "tcp", url: true, valued: []string{"-w", "-i", "-p", "-s", "-q"}},
	"ncat":                      {kind: "tcp", url: true, valued: []string{"-w", "-i", "-p", "-s"}},
	"netcat":                    {kind: "tcp", url: true, valued: []string{"-w", "-i", "-p", "-s", "-q"}},
	"telnet":                    {kind: "tcp", url: true},
	"ping":                      {kind: "icmp", url: true, valued: []string{"-c", "-W", "-w", "-i", "-s", "-I", "-t"}},
	"kubectl":                   {kind: "kubernetes", name: "the API server", remote: "kubernetes.default"},
}

// commandOf is the name that the tables know: no directory, no .sh or .exe.
func commandOf(arg string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path.Base(arg), ".sh"), ".exe")
}

// unknown marks a part of a word that depends on something that the manifest does not tell.
const unknown = "\x00"

// describe judges one command. args are its words; a word with an unknown part holds the mark.
func describe(args []string, env func(string) (string, bool)) (model.ExecCheck, bool) {
	args = unwrap(args)
	if len(args) == 0 || strings.Contains(args[0], unknown) {
		return model.ExecCheck{}, false
	}
	name := commandOf(args[0])
	t, ok := tools[name]
	if !ok {
		return model.ExecCheck{}, false
	}
	c := model.ExecCheck{Command: name, Kind: t.kind, Name: t.name}
	if t.remote != "" {
		c.Host, c.Remote = t.remote, true
		return c, true
	}
	address, known := t.address(args[1:], env)
	if !known {
		return c, true
	}
	for _, a := range strings.FieldsFunc(address, func(r rune) bool { return r == ',' }) {
		host := lint.HostOf(a)
		if i := strings.LastIndex(host, "@"); i >= 0 { // rabbit@host
			host = host[i+1:]
		}
		local := !lint.Elsewhere(host, nil)
		if c.Host == "" || local {
			c.Host, c.Remote = host, !local
		}
	}
	return c, true
}

// address is what the command asks, "" for its default; known is false where a part of it is not.
func (t tool) address(args []string, env func(string) (string, bool)) (address string, known bool) {
	for i, a := range args {
		if strings.Contains(a, "://") && !strings.HasPrefix(a, "-") && (t.kind != "http" || !t.takesValue(args, i)) {
			return a, !strings.Contains(hostPart(a), unknown)
		}
		for _, o := range t.hosts {
			v, ok := value(args, i, o)
			if ok {
				return v, !strings.Contains(hostPart(v), unknown)
			}
		}
	}
	if t.url {
		for i, a := range args {
			if !strings.HasPrefix(a, "-") && !t.takesValue(args, i) {
				return a, !strings.Contains(hostPart(a), unknown)
			}
		}
	}
	if t.env != "" {
		if v, ok := env(t.env); ok {
			return v, !strings.Contains(v, unknown)
		}
	}
	return "", true
}

// takesValue reports whether args[i] is the value of the option before it.
func (t tool) takesValue(args []string, i int) bool {
	if i == 0 {
		return false
	}
	for _, o := range t.valued {
		if args[i-1] == o {
			return true
		}
	}
	return false
}

// value is what option o at args[i] is given: "-h db", "-hdb", "--host db", "--host=db".
func value(args []string, i int, o string) (string, bool) {
	a := args[i]
	switch {
	case a == o && i+1 < len(args):
		return args[i+1], true
	case strings.HasPrefix(a, o+"="):
		return a[len(o)+1:], true
	case len(o) == 2 && strings.HasPrefix(a, o) && len(a) > 2:
		return a[2:], true
	}
	return "", false
}

// hostPart drops the path of an address, which may hold what is not known.
func hostPart(a string) string {
	scheme, rest, ok := strings.Cut(a, "://")
	if !ok {
		scheme, rest = "", a
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndex(rest, "@"); i >= 0 { // a password that is not known
		rest = rest[i+1:]
	}
	if i := strings.LastIndex(rest, ":"); i >= 0 {
		rest = rest[:i]
	}
	return strings.ReplaceAll(scheme, unknown, "") + rest
}

// unwrap drops programs that run the rest of their arguments: timeout 5 cmd, env A=b cmd, exec cmd, nice, sudo.
func unwrap(args []string) []string {
	for len(args) > 0 {
		switch commandOf(args[0]) {
		case "timeout", "gtimeout":
			args = args[1:]
			for len(args) > 0 && strings.HasPrefix(args[0], "-") {
				n := 1
				switch args[0] {
				case "-k", "-s", "-t", "--kill-after", "--signal":
					n = 2
				}
				args = args[min(n, len(args)):]
			}
			if len(args) > 0 && isDuration(args[0]) {
				args = args[1:]
			}
		case "exec", "command", "nohup", "time", "sudo", "nice", "gosu", "su-exec", "tini", "busybox":
			first := commandOf(args[0])
			args = args[1:]
			for len(args) > 0 && strings.HasPrefix(args[0], "-") {
				args = args[1:]
			}
			if (first == "gosu" || first == "su-exec") && len(args) > 0 { // the user
				args = args[1:]
			}
		case "env":
			args = args[1:]
			for len(args) > 0 && (strings.HasPrefix(args[0], "-") || strings.Contains(args[0], "=")) {
				args = args[1:]
			}
		default:
			return args
		}
	}
	return args
}

func isDuration(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimRight(s, "smhd"), 64)
	return err == nil
}
