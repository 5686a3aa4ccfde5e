package play

import "github.com/cfnresource/sdk-go/internal/judge"

// A Response is what CloudFormation reads of the answer to an event.
type Response = judge.Response
