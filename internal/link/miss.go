package link

import (
	"fmt"
	"path"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

func askedPath(pr *model.Probe) string {
	if pr.Kind == model.GRPC {
		return healthCheck
	}
	p, _, _ := strings.Cut(pr.Target.Path, "?")
	return p
}

func grade(proven bool) model.Grade {
	if proven {
		return model.MissProven
	}
	return model.MissPossible
}

// unresolved names what keeps a program from being known whole.
func unresolved(p *program) string {
	if len(p.Stopped) > 0 {
		s := p.Stopped[0]
		return fmt.Sprintf("`%s` (%s)", s.Call, s.Why)
	}
	return "a call that leads to more registrations or servers"
}

func spanOr(s, other model.Span) model.Span {
	if s.IsZero() {
		return other
	}
	return s
}

// nearest is the route whose path is most like the one asked: the same last segment, or the longest common beginning.
func nearest(routes []*model.Route, asked string) *model.Route {
	var best *model.Route
	points := 0
	for _, r := range routes {
		n := 0
		if path.Base(r.Pattern) == path.Base(asked) {
			n += 20
		}
		for n2 := 0; n2 < len(asked) && n2 < len(r.Pattern) && asked[n2] == r.Pattern[n2]; n2++ {
			n++
		}
		if looksHealthy(r.Pattern) {
			n += 5
		}
		if n > points && n > 5 {
			best, points = r, n
		}
	}
	return best
}

func looksHealthy(p string) bool {
	for _, w := range []string{"health", "live", "ready", "alive", "ping", "status"} {
		if strings.Contains(strings.ToLower(p), w) {
			return true
		}
	}
	return false
}

// but says what keeps a miss from being proven, for the end of a reason.
func but(m *model.Miss) string {
	if m.Unresolved == "" {
		return ""
	}
	return "; not followed: " + m.Unresolved
}
