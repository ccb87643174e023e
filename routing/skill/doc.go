// Package skill routes a task to the skill that serves it, and says why.
//
// A task is weighed against the text of every installed skill (BM25F over name, tags, description
// and headings, with CJK n-grams, stems and a small bilingual lexicon), and a table of rules turns
// the scores into one of five outcomes: auto, confirm, decompose, no_match, blocked. A score means
// the same among five skills and among twenty thousand, and every part of it can be shown.
//
// The package is pure: the same task, index and settings give the same [Decision] to the byte, so
// that a decision in the log can be made again and compared. Text of a skill is data: one that
// tries to instruct the reader, or lies in a folder that nobody trusted, is shown and never chosen.
package skill
