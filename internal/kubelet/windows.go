package kubelet

import (
	"fmt"

	"github.com/probelint/probelint/internal/model"
)

// Windows computes the windows of a probe of container c; c may be nil. The result is nil where nothing can be said: a
// probe without a handler, or timings that could not be read. Boot is set for a startup probe, and for a liveness probe of a
// container without one; Recover for readiness, since the others never recover an instance.
//
// Never is set where the kubelet throws every attempt away: three errors in a row are logged and not counted (worker.go,
// doProbe), so liveness never fails, startup never ends, and readiness keeps its last value, which at birth is "not ready".
func Windows(p *model.Probe, c *model.Container) *model.Windows {
	if p.Kind == model.KindNone {
		return nil
	}
	if why := Never(p); why != "" {
		return &model.Windows{Never: why}
	}
	if p.IsUnknown("periodSeconds") {
		return nil
	}
	t := TimingOf(p)
	w := &model.Windows{}
	known := func(fields ...string) bool {
		for _, f := range fields {
			if p.IsUnknown(f) {
				return false
			}
		}
		return true
	}
	if known("failureThreshold", "timeoutSeconds") {
		w.Detect = &model.Detect{Fast: t.DetectFast(), Hang: t.DetectHang()}
	}
	if bootLimit(p, c) {
		if known("failureThreshold", "initialDelaySeconds") {
			r := t.Boot()
			w.Boot = &r
		}
		// A startup probe is never asked again after its first success: there is no fault for it to detect.
		if p.Role == model.Startup {
			w.Detect = nil
		}
	}
	if p.Role == model.Readiness && known("successThreshold", "timeoutSeconds") {
		r := t.Recover()
		w.Recover = &r
	}
	if w.Detect == nil && w.Boot == nil && w.Recover == nil {
		return nil
	}
	return w
}

// bootLimit reports whether the probe is the one that ends a start that takes too long.
func bootLimit(p *model.Probe, c *model.Container) bool {
	return p.Role == model.Startup || p.Role == model.Liveness && (c == nil || c.Probe(model.Startup) == nil)
}

// Never says why no attempt of this probe ever counts, as far as the manifest alone shows it, or "".
func Never(p *model.Probe) string {
	if UnknownPort(p) {
		return fmt.Sprintf("no port of the container is named %q: every attempt errors and is discarded", p.Target.PortName)
	}
	return ""
}

// UnknownPort reports whether the probe names a port that the container does not have. The API server accepts that.
func UnknownPort(p *model.Probe) bool {
	named := (p.Kind == model.HTTPGet || p.Kind == model.TCPSocket) && p.Target.PortName != "" && p.Target.Port == 0
	return named && !p.IsUnknown(string(p.Kind)+".port")
}
