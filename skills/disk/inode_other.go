//go:build !unix

package disk

import "io/fs"

// inode is not known here; size and time tell files apart.
func inode(fs.FileInfo) uint64 { return 0 }
