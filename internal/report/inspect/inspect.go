// Package inspect writes what was read and joined, without a judgement: each probe, what answers it, how that is known,
// its windows, and the dependencies of the answer with their deadlines. As text for people and as JSON for tools.
package inspect

import "github.com/probelint/probelint/internal/model"

// Input is one run as inspect sees it.
type Input struct {
	Workloads []*model.Workload
	Programs  []*model.Program
	Limits    []model.Limit
}
