// Package modes says how the modes of the Task Router proceed: [Chain] for a pass over a chain of
// atoms, [Exploration] for the exploratory loop, [Research] for the two loops of research.
//
// Each is a value that is told what happened and gives the next value, or a refusal of what the mode
// does not allow; the one before stays as it is. They know no clock and run nothing, so a run can be
// folded again from its events and ends where it ended. Whatever is reported, they end: by success,
// by failure, or by a bound.
package modes
