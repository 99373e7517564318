package summary

// Choice is one way that start-up took where the code decides for one of several: a branch, or what a call through a
// function value or an interface leads to.
type Choice struct{ At, Way int }

// chooses runs one of several ways of start-up. What it notes belongs to that way alone. In a loop each turn may take
// another way, and all of them belong to one run of the process.
func (it *Interp) chooses(at, way int, run func()) {
	l := &it.eng.life
	if it.request || at == 0 {
		run()
		return
	}
	saved := l.choices
	l.choices = append(saved[:len(saved):len(saved)], Choice{at, way})
	run()
	l.choices = saved
}

// fork is the number of a decision of start-up, 0 where its ways do not exclude each other.
func (it *Interp) fork() int {
	if it.request {
		return 0
	}
	for f := it.frame; f != nil; f = f.caller {
		for _, l := range f.loops {
			if l.isLoop {
				return 0
			}
		}
	}
	it.eng.life.forks++
	return it.eng.life.forks
}

// Exclusive reports ways of start-up of which a process takes one at most.
func Exclusive(a, b []Choice) bool {
	for _, x := range a {
		for _, y := range b {
			if x.At == y.At && x.Way != y.Way {
				return true
			}
		}
	}
	return false
}

// Apart reports code that never runs in the process that runs other code: each of its ways excludes each of the other's.
func Apart(a, b [][]Choice) bool {
	for _, x := range a {
		for _, y := range b {
			if !Exclusive(x, y) {
				return false
			}
		}
	}
	return len(a) > 0 && len(b) > 0
}
