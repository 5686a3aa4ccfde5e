package template

// CloudFormation's quotas ("Understand CloudFormation quotas" in its user guide), and bounds of our own.
const (
	maxResources = 500
	maxOutputs   = 200

	// maxErrors is where compiling stops: every further misspelled name would be compared with all known ones.
	maxErrors = 100
	// maxBuilt bounds the bytes that the functions of one resource may build, so that a small template cannot ask for
	// gigabytes by joining long values many times.
	maxBuilt = 8 << 20
	// maxBuiltAll bounds the same over all resources and outputs of a template.
	maxBuiltAll = 64 << 20
)
