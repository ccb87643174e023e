package acquire

// Limits of a package, before it is looked into and after.
const (
	MaxPackage = 64 << 20 // bytes of the archive
	MaxEntries = 2000     // files and folders in it
	MaxSize    = 64 << 20 // bytes of all that it unpacks to
	MaxRatio   = 100      // how many times its archive a package may be
	MaxPath    = 240      // bytes of a name within the package
	MaxDepth   = 12       // folders one below the other
)

// ManifestFile is where an installed skill says what it is and where it came from.
const ManifestFile = ".baton-skill.json"
