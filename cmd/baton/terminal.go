package main

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// readLine reads one line that somebody types; false when there is none, or ctx is done before.
func readLine(ctx context.Context, from io.Reader) (string, bool) {
	lines := make(chan string, 1)
	go func() { // it ends with the line, or with the process: a terminal cannot be read with a deadline
		line, err := bufio.NewReader(io.LimitReader(from, 4096)).ReadString('\n')
		if err == nil {
			lines <- strings.TrimRight(line, "\r\n")
		}
		close(lines)
	}()
	select {
	case line, ok := <-lines:
		return line, ok
	case <-ctx.Done():
		return "", false
	}
}
