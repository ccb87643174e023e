// Package source decides where to look for information, in which order, how often, and when to stop.
//
// A [Router] reads a description of a task (what kind it is, how fresh the answer must be, which
// sources there are, how many searches may be spent) and gives a [Plan]. It never searches, never
// concludes and never invents a kind of source. What is wrong with a description is told all at
// once, as [Errors].
//
// The plan is made in the order of the files: read.go normalises the description, counter.go decides
// whether opposing views are searched, candidates.go ranks the sources and hands the weight of those
// that are missing to others, budget.go turns weights into whole searches under the floors and caps,
// hints.go says what to search for.
//
// How a plan is carried out is decided here too, without doing it: a [Walk] takes one query down the
// chain of providers, a [Search] takes the whole plan through its rounds. Both are fed with what
// became of each attempt and can be folded again from a record of it.
//
// Everything is pure: the same description gives the same plan with the same id, always.
package source
