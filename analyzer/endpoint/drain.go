package endpoint

import "github.com/probelint/probelint/analyzer/summary"

// waitBefore adds up the pauses since the last signal; known is false without a signal, where something else is waited for
// in between, and where a condition or a setting decides on a pause. Then most is what there is in all, by the defaults in
// code, and 0 where that is not known either.
func (l *life) waitBefore(ms []summary.Moment) (seconds, most float64, known bool) {
	known = true
	for i := len(ms) - 1; i >= 0; i-- {
		switch m := ms[i]; m.Kind {
		case summary.MomentSignal:
			return seconds, most, known
		case summary.MomentPause:
			d, ok := l.seconds(m.Dur)
			if !ok || !summary.Certain(m) {
				known = false
			}
			if !ok {
				b := &builder{a: l.a, vals: summary.ValuesOf(nil)}
				d, _, ok = b.secondsOrZero(m.Dur)
			}
			if !ok || l.repeats(m) != 1 {
				return 0, 0, false
			}
			seconds, most = seconds+d, most+d
		case summary.MomentWait, summary.MomentSkip, summary.MomentForeign:
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// repeats is how often the loops around a moment run it, 0 where that is not known.
func (l *life) repeats(m summary.Moment) int {
	n := 1
	for _, s := range m.Stack {
		n *= summary.LoopOf(s.Pkg, s.Node, s.Pos)
	}
	return n
}
