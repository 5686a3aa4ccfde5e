//go:build !unix

package cfnresource_test

import "time"

func cpuTime() time.Duration { return 0 } // not known
