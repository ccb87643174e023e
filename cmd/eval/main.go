// Command eval prints how well requests find the skills that serve them.
//
// It measures the sets of requests in a folder, and vector files if there are some, over the code as
// it stands, and writes the tables of docs/routing-quality.md anew when asked to. It is for those who
// change how Baton routes; nothing else needs it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/batonflow/baton/routing/quality"
)

func main() {
	data := flag.String("data", os.Getenv("BATON_EVAL_DATA"), "`folder` with <set>.candidates.jsonl and <set>.queries.jsonl")
	vectors := flag.String("vectors", os.Getenv("BATON_EVAL_VECTORS"), "`folder` with vector files of the skill router")
	write := flag.String("write", "", "`file` whose tables are written anew")
	verbose := flag.Bool("v", false, "say which vectors are wrong")
	flag.Parse()
	if err := run(*data, *vectors, *write, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(data, vectors, write string, verbose bool) error {
	if data == "" {
		return errors.New("give the folder with the sets: -data DIR or BATON_EVAL_DATA")
	}
	if inner := filepath.Join(data, "routing"); isFolder(inner) {
		if beside := filepath.Join(data, "..", "vectors", "skill-router"); vectors == "" && isFolder(beside) {
			vectors = beside
		}
		data = inner
	}
	report, err := measure(data, vectors)
	if err != nil {
		return err
	}
	fmt.Print(report.Text())
	if verbose {
		for _, line := range report.Wrong() {
			fmt.Println(line)
		}
	}
	if write == "" {
		return nil
	}
	doc, err := os.ReadFile(write)
	if err != nil {
		return err
	}
	doc, err = report.Into(doc)
	if err != nil {
		return fmt.Errorf("%s: %w", write, err)
	}
	return os.WriteFile(write, doc, 0o644)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// measure reads what is in the folders and measures it.
func measure(data, vectors string) (quality.Results, error) {
	var out quality.Results
	sets, err := quality.ReadSets(os.DirFS(data))
	if err != nil {
		return out, err
	}
	if out.Sets, out.NoFit, err = quality.MeasureAll(sets); err != nil || vectors == "" {
		return out, err
	}
	out.Vectors, err = quality.VectorFiles(os.DirFS(vectors))
	return out, err
}
