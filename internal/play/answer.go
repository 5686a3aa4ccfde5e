package play

import "github.com/cfnresource/sdk-go/internal/judge"

// An Answer is what CloudFormation reads of the answer to an event.
type Answer = judge.Answer
