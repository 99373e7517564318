package knowledge

import "time"

// WrapperRole is what a call does to a context, to the work that it is given, or to an error.
type WrapperRole string

// The roles of data/wrappers.yaml.
const (
	WrapDeadline      WrapperRole = "deadline"
	WrapNoDeadline    WrapperRole = "no_deadline"
	WrapDropsDeadline WrapperRole = "drops_deadline"
	WrapCtxDerive     WrapperRole = "ctx_derive"
	WrapBindCtx       WrapperRole = "bind_ctx"
	WrapSignalCtx     WrapperRole = "signal_ctx"
	WrapSignal        WrapperRole = "signal"
	WrapRaceTimeout   WrapperRole = "race_timeout"
	WrapTimeout       WrapperRole = "timeout"
	WrapConnDeadline  WrapperRole = "conn_deadline"
	WrapSpawn         WrapperRole = "spawn"
	WrapJoin          WrapperRole = "join"
	WrapParallel      WrapperRole = "parallel"
	WrapOnce          WrapperRole = "once"
	WrapDedup         WrapperRole = "dedup"
	WrapWait          WrapperRole = "wait"
	WrapNonblocking   WrapperRole = "nonblocking"
	WrapPeriodic      WrapperRole = "periodic"
	WrapDelayed       WrapperRole = "delayed"
	WrapSleep         WrapperRole = "sleep"
	WrapCallback      WrapperRole = "callback"
	WrapCache         WrapperRole = "cache"
	WrapCacheGet      WrapperRole = "cache_get"
	WrapCacheSet      WrapperRole = "cache_set"
	WrapTTL           WrapperRole = "ttl"
	WrapLoader        WrapperRole = "loader"
	WrapNew           WrapperRole = "new"
	WrapRetry         WrapperRole = "retry"
	WrapCall          WrapperRole = "call"
	WrapPolicy        WrapperRole = "policy"
	WrapLimit         WrapperRole = "limit"
	WrapMirror        WrapperRole = "mirror"
	WrapAuth          WrapperRole = "auth"
	WrapBody          WrapperRole = "body"
	WrapWriter        WrapperRole = "writer"
	WrapString        WrapperRole = "string"
	WrapError         WrapperRole = "error"
	WrapErrorTest     WrapperRole = "error_test"
	WrapErrorString   WrapperRole = "error_string"
	WrapOption        WrapperRole = "option"
	WrapOther         WrapperRole = "other"
)

// WrapperCall is one function or method that wraps work. The indexes count parameters without the receiver; -1 where there is
// none.
type WrapperCall struct {
	Path, Recv, Name string
	Entry            string
	Role             WrapperRole
	Effect           Effect // of a cache that is another system
	Ctx, Err         int
	Dur, Time        int           // a duration; a point in time
	Unit             time.Duration // of a Dur that is a number; 0 where it is a time.Duration
	Handler          int           // the function or handler that runs
	Body             int           // the value that is written or formatted
	BodyVariadic     bool
	// BoundsWork, BoundsAnswer: what a timeout bounds. BoundsWork alone ends the context: a handler that ignores it answers
	// late. BoundsAnswer alone leaves the work running.
	BoundsWork, BoundsAnswer bool
	Answers                  int // status of a timeout
	IsVar                    bool
	Sig                      string
	Tries                    Tries
}

// Tries is how often a retry library tries and how long it pauses, of the call, one of its options, or a field of its policy.
type Tries struct {
	N        int     // the parameter that says how often, -1 where none does; a field is its own parameter 0
	Plus     int     // attempts beyond that number: 1 where it counts the repetitions
	Attempts int     // by default, 0 for no end
	Pause    float64 // seconds between two attempts by default, where Dur does not say
	Grow     float64 // what each pause is multiplied by, 0 for constant ones
	Low      float64 // the least part of a pause that chance leaves, 0 for all of it
	Total    float64 // seconds after which no further attempt begins by default, 0 for no end
}

func (c *WrapperCall) symbol() (path, recv, name string) { return c.Path, c.Recv, c.Name }

// LookupWrapper finds a call by import path, receiver type without "*" and name.
func (b *Base) LookupWrapper(path, recv, name string) (WrapperCall, bool) {
	for ; b != nil; b = b.below {
		if p := b.pkg(path); p != nil {
			if c, ok := find(b.Wrappers, p.wrappers, (*WrapperCall).symbol, recv, name); ok {
				return c, true
			}
		}
	}
	return WrapperCall{}, false
}

// LookupWrapper asks [Default].
func LookupWrapper(path, recv, name string) (WrapperCall, bool) {
	return Default().LookupWrapper(path, recv, name)
}
