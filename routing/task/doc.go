// Package task is the Task Router: it reads a query and says how it is to be worked on. In which mode
// (a standard chain, an exploratory loop, the two loops of research, parallel children, or one skill
// called by its slash name), over which atoms, with which genes, and what is handed to whom.
//
// A child is given the query byte for byte and no instructions: [Lint] refuses anything else, and
// the part a child works on stands in a scope beside its goal. What happens when the chain runs is
// decided in package modes.
//
// Everything is pure and deterministic. Rules, atoms and genes are data; they are checked when they
// are read, so a [Router] that exists is consistent. A refusal is a [*Refusal] with a stable code.
package task
