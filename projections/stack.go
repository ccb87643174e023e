package projections

import "slices"

// stack is the calls of a session that were opened by hand and have not ended, innermost last. A
// suspended call keeps its place.
type stack []place

type place struct {
	Call  string `json:"call"`
	Skill string `json:"skill,omitempty"`
}

// push puts a call on top, also one that was further down.
func (s *stack) push(call, skill string) {
	s.drop(call)
	*s = append(*s, place{call, skill})
}

// raise brings a call to the top; one that is not there stays away.
func (s *stack) raise(call string) {
	if i := s.find(call); i >= 0 {
		p := (*s)[i]
		s.push(p.Call, p.Skill)
	}
}

func (s *stack) drop(call string) {
	if i := s.find(call); i >= 0 {
		*s = slices.Delete(*s, i, i+1)
	}
}

func (s stack) find(call string) int {
	return slices.IndexFunc(s, func(p place) bool { return p.Call == call })
}

func (s stack) top() place {
	if len(s) == 0 {
		return place{}
	}
	return s[len(s)-1]
}
