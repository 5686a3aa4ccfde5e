package template

// CloudFormation's quotas ("Understand CloudFormation quotas" in its user guide), and bounds of our own.
const (
	maxBody       = 1_000_000 // bytes of a template in S3 (documented as 1 MB)
	maxDirectBody = 51_200    // bytes of a template in the request itself
	maxResources  = 500
	maxParameters = 200
	maxOutputs    = 200
	maxMappings   = 200
	maxAttributes = 200 // of one mapping
	maxName       = 255 // characters of a logical ID, of a parameter's, mapping's or output's name
	maxText       = 1024
	maxValue      = 4096 // bytes of a parameter's value

	// maxDepth bounds nesting. CloudFormation's own bound is not known; no template that people write comes near.
	maxDepth = 100
	// maxErrors is where compiling stops: every further misspelled name would be compared with all known ones.
	maxErrors = 100
	// maxBuilt bounds the bytes that the functions of one resource may build, so that a small template cannot ask for
	// gigabytes by joining long values many times.
	maxBuilt = 8 << 20
	// maxBuiltAll bounds the same over all resources and outputs of a template.
	maxBuiltAll = 64 << 20
)
