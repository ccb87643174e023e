package task

import (
	"bytes"
	_ "embed"
)

var (
	//go:embed rules.schema.json
	rulesSchema []byte
	//go:embed genes.schema.json
	genesSchema []byte
	//go:embed atoms.schema.json
	atomsSchema []byte
)

// Schemas are the JSON Schemas of the files in [Data].
func Schemas() Data {
	return Data{bytes.Clone(rulesSchema), bytes.Clone(genesSchema), bytes.Clone(atomsSchema)}
}
