package execprobe_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/execprobe"
	"github.com/probelint/probelint/internal/model"
)

func env(name, value string) model.EnvVar {
	return model.EnvVar{Name: name, Value: value, Known: true, From: "manifest"}
}

func TestDescribe(t *testing.T) {
	pg := func(host string, decides bool, at int) model.ExecCheck {
		return model.ExecCheck{
			Command: "pg_isready", Kind: "database", Name: "PostgreSQL", Host: host,
			Remote: host != "" && host != "127.0.0.1" && host != "localhost" && host != "/var/run", Decides: decides, Argument: at,
		}
	}
	for name, c := range map[string]struct {
		command []string
		env     []model.EnvVar
		want    []model.ExecCheck
	}{
		"default host":       {command: []string{"pg_isready"}, want: []model.ExecCheck{pg("", true, 0)}},
		"remote":             {command: []string{"pg_isready", "-h", "db"}, want: []model.ExecCheck{pg("db", true, 0)}},
		"joined":             {command: []string{"/usr/bin/pg_isready", "-hdb"}, want: []model.ExecCheck{pg("db", true, 0)}},
		"long":               {command: []string{"pg_isready", "--host=db", "-U", "x"}, want: []model.ExecCheck{pg("db", true, 0)}},
		"loopback":           {command: []string{"pg_isready", "-h", "127.0.0.1"}, want: []model.ExecCheck{pg("127.0.0.1", true, 0)}},
		"behind timeout":     {command: []string{"timeout", "-s", "KILL", "5s", "pg_isready", "-h", "db"}, want: []model.ExecCheck{pg("db", true, 4)}},
		"the kubelet's $()":  {command: []string{"pg_isready", "-h", "$(DB)"}, env: []model.EnvVar{env("DB", "db.prod")}, want: []model.ExecCheck{pg("db.prod", true, 0)}},
		"escaped $$()":       {command: []string{"sh", "-c", "pg_isready -h $$(hostname)"}, want: []model.ExecCheck{pg("", true, 2)}},
		"a Secret":           {command: []string{"pg_isready", "-h", "$(DB)"}, env: []model.EnvVar{{Name: "DB", From: "secret db"}}, want: []model.ExecCheck{pg("", true, 0)}},
		"no shell, no $":     {command: []string{"echo", "$DB"}},
		"environment":        {command: []string{"pg_isready"}, env: []model.EnvVar{env("PGHOST", "db")}, want: []model.ExecCheck{pg("db", true, 0)}},
		"script":             {command: []string{"sh", "-c", "pg_isready -h db"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"script, variable":   {command: []string{"/bin/sh", "-ec", `pg_isready -h "$DB"`}, env: []model.EnvVar{env("DB", "db")}, want: []model.ExecCheck{pg("db", true, 2)}},
		"script, not known":  {command: []string{"sh", "-c", `pg_isready -h $DB`}, want: []model.ExecCheck{pg("", true, 2)}},
		"script, own name":   {command: []string{"sh", "-c", `pg_isready -h $(hostname -f)`}, want: []model.ExecCheck{pg("", true, 2)}},
		"script, assigned":   {command: []string{"sh", "-c", "H=db; pg_isready -h $H"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"or true":            {command: []string{"sh", "-c", "pg_isready -h db || true"}, want: []model.ExecCheck{pg("db", false, 2)}},
		"or exit 1":          {command: []string{"sh", "-c", "pg_isready -h db || exit 1"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"or exit 0":          {command: []string{"sh", "-c", "pg_isready -h db || exit 0"}, want: []model.ExecCheck{pg("db", false, 2)}},
		"not the last":       {command: []string{"sh", "-c", "pg_isready -h db; true"}, want: []model.ExecCheck{pg("db", false, 2)}},
		"not the last, -e":   {command: []string{"sh", "-ec", "pg_isready -h db; true"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"set -e":             {command: []string{"sh", "-c", "set -e\npg_isready -h db\necho ok"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"exit $?":            {command: []string{"sh", "-c", "pg_isready -h db; exit $?"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"and":                {command: []string{"sh", "-c", "test -f /ok && pg_isready -h db"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"pipe to grep":       {command: []string{"sh", "-c", "pg_isready -h db | grep -q accepting"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"pipe to cat":        {command: []string{"sh", "-c", "pg_isready -h db | cat"}, want: []model.ExecCheck{pg("db", false, 2)}},
		"pipefail":           {command: []string{"bash", "-c", "set -o pipefail; pg_isready -h db | cat"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"background":         {command: []string{"sh", "-c", "pg_isready -h db &"}, want: []model.ExecCheck{pg("db", false, 2)}},
		"if, exit":           {command: []string{"sh", "-c", "if ! pg_isready -h db; then exit 1; fi"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"if, echo":           {command: []string{"sh", "-c", "if pg_isready -h db; then echo up; fi"}, want: []model.ExecCheck{pg("db", false, 2)}},
		"test of output":     {command: []string{"sh", "-c", `[ "$(pg_isready -h db)" = ok ]`}, want: []model.ExecCheck{pg("db", true, 2)}},
		"echo of output":     {command: []string{"sh", "-c", `echo $(pg_isready -h db)`}, want: []model.ExecCheck{pg("db", false, 2)}},
		"not parsable":       {command: []string{"sh", "-c", "pg_isready -h db ||"}},
		"nothing":            {command: nil},
		"only sh":            {command: []string{"sh"}},
		"a script file":      {command: []string{"sh", "/probe.sh"}},
		"redis by URL":       {command: []string{"redis-cli", "-u", "redis://:s3cret@cache:6379/0", "ping"}, want: []model.ExecCheck{{Command: "redis-cli", Kind: "cache", Name: "Redis", Host: "cache", Remote: true, Decides: true}}},
		"curl, own port":     {command: []string{"curl", "-f", "http://localhost:8080/healthz"}, want: []model.ExecCheck{{Command: "curl", Kind: "http", Host: "localhost", Decides: true}}},
		"curl elsewhere":     {command: []string{"curl", "-H", "Origin: http://here", "-fsS", "http://catalog/healthz"}, want: []model.ExecCheck{{Command: "curl", Kind: "http", Host: "catalog", Remote: true, Decides: true}}},
		"curl, header value": {command: []string{"curl", "-H", "http://x", "localhost:80"}, want: []model.ExecCheck{{Command: "curl", Kind: "http", Host: "localhost", Decides: true}}},
		"curl, path unknown": {command: []string{"sh", "-c", "curl -f http://catalog/$P"}, want: []model.ExecCheck{{Command: "curl", Kind: "http", Host: "catalog", Remote: true, Decides: true, Argument: 2}}},
		"nc":                 {command: []string{"nc", "-z", "-w", "1", "kafka", "9092"}, want: []model.ExecCheck{{Command: "nc", Kind: "tcp", Host: "kafka", Remote: true, Decides: true}}},
		"mysql joined":       {command: []string{"mysqladmin", "ping", "-hmysql.prod", "-uroot"}, want: []model.ExecCheck{{Command: "mysqladmin", Kind: "database", Name: "MySQL", Host: "mysql.prod", Remote: true, Decides: true}}},
		"one of a list":      {command: []string{"etcdctl", "--endpoints=https://127.0.0.1:2379,https://b:2379", "endpoint", "health"}, want: []model.ExecCheck{{Command: "etcdctl", Kind: "coordination", Name: "etcd", Host: "127.0.0.1", Decides: true}}},
		"rabbit node":        {command: []string{"rabbitmq-diagnostics", "-n", "rabbit@mq-0", "ping"}, want: []model.ExecCheck{{Command: "rabbitmq-diagnostics", Kind: "queue", Name: "RabbitMQ", Host: "mq-0", Remote: true, Decides: true}}},
		"kubectl":            {command: []string{"kubectl", "get", "nodes"}, want: []model.ExecCheck{{Command: "kubectl", Kind: "kubernetes", Name: "the API server", Host: "kubernetes.default", Remote: true, Decides: true}}},
		"two commands": {
			command: []string{"sh", "-c", "pg_isready -h db && redis-cli -h cache ping"},
			want:    []model.ExecCheck{pg("db", true, 2), {Command: "redis-cli", Kind: "cache", Name: "Redis", Host: "cache", Remote: true, Decides: true, Argument: 2}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &model.Probe{Kind: model.Exec, Target: model.Target{Command: c.command}}
			execprobe.Describe(p, &model.Container{Env: c.env})
			if diff := cmp.Diff(c.want, p.Exec); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.command, diff)
			}
		})
	}
}

// Whatever a manifest holds as a command, it is described without a panic, and what is described points into it.
func TestAnyCommand(t *testing.T) {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"sh", "-c", "-ec", "timeout", "5", "pg_isready", "-h", "curl", "http://a", "env", "$(A)", "|| true", "a=$(b", "${A:-x}", "exec", "set -e;", ""}),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		p := &model.Probe{Kind: model.Exec, Target: model.Target{Command: rapid.SliceOfN(word, 0, 6).Draw(t, "command")}}
		execprobe.Describe(p, nil)
		for _, e := range p.Exec {
			if e.Argument < 0 || e.Argument >= len(p.Target.Command) {
				t.Fatalf("argument %d of %q", e.Argument, p.Target.Command)
			}
		}
	})
}

func TestOtherProbesHaveNone(t *testing.T) {
	p := &model.Probe{Kind: model.HTTPGet, Target: model.Target{Command: []string{"pg_isready"}}}
	execprobe.Describe(p, nil)
	if p.Exec != nil {
		t.Errorf("got %v", p.Exec)
	}
}
