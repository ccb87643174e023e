//go:build !unix

package mcp

import (
	"errors"
	"fmt"
	"os"
)

type pipes struct {
	in, out  string
	to, from *os.File
}

// open fails: without named pipes and process groups nothing could be promised.
func open(string) (*pipes, error) {
	return nil, fmt.Errorf("start an MCP server: %w", errors.ErrUnsupported)
}

func (*pipes) release() {}

func (*pipes) unlink() {}
