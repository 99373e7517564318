package words

import "github.com/probelint/probelint/internal/lint"

// AnHour is how often the kubelet asks one pod in an hour; ok is false where no manifest says, as under go vet.
func AnHour(p *lint.Pass) (n int, ok bool) {
	period, ok := p.Period()
	if !ok || p.Probe.Guessed {
		return 0, false
	}
	return int(3600 / period), true
}
