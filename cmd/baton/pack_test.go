package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptPack makes a package of a folder and puts its SHA-256 into a variable: `pack ZIP DIR VAR`.
func scriptPack(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: pack ZIP DIR VAR")
	}
	file, root := ts.MkAbs(args[0]), ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	f, err := os.Create(file)
	ts.Check(err)
	z := zip.NewWriter(f)
	ts.Check(fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		w, err := z.Create(name)
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	}))
	ts.Check(z.Close())
	ts.Check(f.Close())
	text, err := os.ReadFile(file)
	ts.Check(err)
	sum := sha256.Sum256(text)
	ts.Setenv(args[2], hex.EncodeToString(sum[:]))
}
