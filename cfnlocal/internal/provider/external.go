package provider

import (
	"maps"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/service"
)

// maxTimeout is the longest timeout of a function [D].
const maxTimeout = 15 * time.Minute

// addExternal adds a function that is none of this stack's, or a topic with one
// that listens to it, by the command that is given for its ARN. No stack here makes it
// what it is, so that the latest command stands also while an update is rolled back.
func (s *search) addExternal(token string) {
	d, p := s.record.Deployments[s.record.Stack.Target], s.found
	if d == nil {
		p.Reason = noTemplate
		return
	}
	parts := strings.Split(token, ":")
	qualified := len(parts) == 8 // a version or an alias
	arn := token
	if qualified {
		arn = strings.Join(parts[:7], ":")
	}
	command := d.CommandOf(token)
	if command == "" {
		p.Reason = "The ServiceToken " + token + " names no function of this stack: refer to one, as in !GetAtt Function.Arn, or deploy with --function ARN=COMMAND, which says what runs the function of an ARN"
		return
	}
	if len(parts) == 6 && parts[2] == "sns" {
		arn = strings.Join([]string{"arn", parts[1], "lambda", parts[3], parts[4], "function", parts[5]}, ":")
		p.Topics = append(p.Topics, host.Topic{ARN: token, Subscribers: []string{arn}})
	}
	p.Names[FunctionName(arn)] = token
	if qualified {
		arn = token
	}
	p.Functions = append(p.Functions, host.Function{
		ARN:                  arn,
		Command:              service.Shell(command),
		Dir:                  d.Dir,
		Env:                  maps.Clone(d.Env),
		Timeout:              maxTimeout,
		MaximumRetryAttempts: 2, // its template is not here
	})
}
