package cdk

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// ProviderProps are the settings of a [Provider]. Either Program or Code is required. What is left
// out has a default that suits a handler that works for some seconds.
type ProviderProps struct {
	// Program is the directory that holds the program, as "bootstrap". Synthesis checks that it is there and
	// that Architecture can run it.
	Program *string
	// Code is the program's code, in place of Program: an asset that is bundled, or an object in S3. Synthesis does
	// not look into it.
	Code awslambda.Code
	// Handler is what the program passes to lambda.Start. With it, synthesis checks the resources' types, and
	// their properties against the handler's. No method of the handler is called.
	Handler *cfnresource.Dispatcher

	Architecture awslambda.Architecture // default ARM_64
	// Timeout is how long one try may take, from 10 seconds to 15 minutes. Default 30 seconds, or 5 minutes
	// with Continues.
	Timeout    awscdk.Duration
	MemorySize *float64 // in MB; default 128
	// Environment has the environment variables of both functions: the second one runs the same program.
	Environment *map[string]*string
	// Description is that of the function. Default "Answers the requests of custom resources."
	Description *string
	// LogRetention is how long the logs of both functions are kept. Default ONE_MONTH. The log groups are deleted
	// with the stack.
	LogRetention awslogs.RetentionDays

	// Vpc, VpcSubnets and SecurityGroups are the function's network, which must lead to S3, where the answers go. The
	// second function is outside, and answers where the first one has no way.
	Vpc            awsec2.IVpc
	VpcSubnets     *awsec2.SubnetSelection
	SecurityGroups *[]awsec2.ISecurityGroup

	// Phases permits the function to ask for the status of its own stack, as package stackphase does.
	Phases *bool
	// Continues permits the function to invoke itself, as package selfinvoke does, and what Phases permits.
	Continues *bool

	// MaxEventAge is how long Lambda keeps an event whose tries failed. Default 5 minutes.
	MaxEventAge awscdk.Duration
	// RetryAttempts is how often Lambda tries an event again after its process died. Default 2.
	RetryAttempts *float64
	// ReservedConcurrentExecutions is how many events the function can work on at once, 2 or more. Default: no
	// limit of its own.
	ReservedConcurrentExecutions *float64
	// ServiceTimeout is how long CloudFormation waits for an answer to a resource's request. The default
	// outlasts MaxEventAge, Timeout and the second function by two minutes; with Continues, it is an hour.
	ServiceTimeout awscdk.Duration
}

// Limits, in seconds where they are times.
const (
	failureTimeout  = 30 // the second function sends an answer, and does nothing else
	spare           = 120
	minTimeout      = 10
	maxTimeout      = 900
	minEventAge     = 60 // a retry comes after a minute
	mostWaiting     = 3600
	mostLinks       = 15 // how often a function can invoke itself in turn
	mostRetries     = 2
	leastConcurrent = 2
)

// settings are the props as numbers, with the defaults, and what is wrong with them.
type settings struct {
	timeout, eventAge, serviceTimeout float64 // in seconds
	retries                           float64
	phases, continues                 bool
	mistakes                          []string
}

func (s *settings) mistake(format string, args ...any) {
	s.mistakes = append(s.mistakes, fmt.Sprintf(format, args...))
}

// read returns the settings of props.
func (props *ProviderProps) read() *settings {
	s := &settings{continues: isTrue(props.Continues)}
	s.phases = s.continues || isTrue(props.Phases)
	usual := 30.0
	if s.continues {
		usual = 300
	}

	// How long each part can take, and all of it.
	s.timeout = s.seconds("Timeout", props.Timeout, usual)
	s.eventAge = s.seconds("MaxEventAge", props.MaxEventAge, 300)
	s.retries = number(props.RetryAttempts, mostRetries)
	least := s.eventAge + s.timeout + failureTimeout
	usual = min(least+spare, mostWaiting)
	if s.continues {
		usual = mostWaiting
	}
	s.serviceTimeout = s.seconds("ServiceTimeout", props.ServiceTimeout, usual)
	if len(s.mistakes) == 0 { // all of them are known
		s.checkTimes(least)
	}

	if n := number(props.ReservedConcurrentExecutions, leastConcurrent); n < leastConcurrent {
		s.mistake("ReservedConcurrentExecutions is %v: with 0 no event is worked on, and with 1 a Delete waits behind the request that it undoes; leave it out, or make it %d or more", n, leastConcurrent)
	}
	if props.Handler != nil && props.Handler.Err() != nil {
		s.mistake("Handler: %v", props.Handler.Err())
	}
	s.checkProgram(props)
	if len(s.mistakes) > 0 { // the CDK gets settings that it takes, so that synthesis comes to the mistakes
		s.timeout, s.eventAge, s.retries, s.serviceTimeout = 30, 300, mostRetries, mostWaiting
	}
	return s
}

// checkTimes checks the times. least is what ServiceTimeout must outlast.
func (s *settings) checkTimes(least float64) {
	switch {
	case s.timeout < minTimeout:
		s.mistake("Timeout is %v s, which leaves no time for an answer: make it %d s or more", s.timeout, minTimeout)
	case s.timeout > maxTimeout:
		s.mistake("Timeout is %v s, and Lambda's longest is %d: make it shorter, and let a handler that waits for longer continue (Continues)", s.timeout, maxTimeout)
	}
	if s.eventAge < minEventAge {
		s.mistake("MaxEventAge is %v s, and Lambda tries again after a minute at the earliest: make it %d s or more", s.eventAge, minEventAge)
	}
	if s.retries < 0 || s.retries > mostRetries {
		s.mistake("RetryAttempts is %v: make it 0, 1 or 2", s.retries)
	}
	switch {
	case least > mostWaiting:
		s.mistake("MaxEventAge, Timeout and the %d s of the second function are %v s together, and CloudFormation waits for %d at most: make MaxEventAge or Timeout shorter", failureTimeout, least, mostWaiting)
	case s.serviceTimeout < least:
		s.mistake("ServiceTimeout is %v s, which is too short for an answer when the process dies: make it %v s or more, which are MaxEventAge, Timeout and the %d s of the second function", s.serviceTimeout, least, failureTimeout)
	case s.serviceTimeout > mostWaiting:
		s.mistake("ServiceTimeout is %v s, and CloudFormation waits for %d at most: make it shorter", s.serviceTimeout, mostWaiting)
	case s.continues && s.serviceTimeout > mostLinks*s.timeout:
		s.mistake("ServiceTimeout is %v s, and Lambda ends a chain of invocations of %v s each sooner: make Timeout %v s or more, or ServiceTimeout shorter", s.serviceTimeout, s.timeout, math.Ceil(s.serviceTimeout/mostLinks))
	}
}

// seconds returns a duration in seconds.
func (s *settings) seconds(name string, d awscdk.Duration, usual float64) float64 {
	switch {
	case d == nil:
		return usual
	case *d.IsUnresolved():
		s.mistake("%s is known only when the stack is deployed: give a number, so that the times can be compared", name)
		return usual
	}
	n := *d.ToSeconds(&awscdk.TimeConversionOptions{Integral: new(false)})
	if n != math.Trunc(n) {
		s.mistake("%s is %v s: give whole seconds", name, n)
	}
	return n
}

// machines are those that Lambda's architectures can run.
var machines = map[string]struct {
	machine elf.Machine
	goarch  string
}{
	"arm64":  {elf.EM_AARCH64, "arm64"},
	"x86_64": {elf.EM_X86_64, "amd64"},
}

// checkProgram checks that there is one program, for the function's architecture.
func (s *settings) checkProgram(props *ProviderProps) {
	switch {
	case (props.Program == nil) == (props.Code == nil):
		s.mistake("give Program, the directory that holds the program as bootstrap, or else Code")
		return
	case props.Program == nil:
		return
	}
	want := machines[*props.architecture().Name()]
	file := filepath.Join(*props.Program, "bootstrap")
	build := fmt.Sprintf("build it with CGO_ENABLED=0 GOOS=linux GOARCH=%s go build -tags lambda.norpc -o %s, and the package of the program", want.goarch, file)
	program, err := elf.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		s.mistake("there is no program %s: %s", file, build)
		return
	}
	if err != nil {
		s.mistake("%s is no program for Linux (%v): %s", file, err, build)
		return
	}
	defer program.Close()
	if program.Machine != want.machine {
		s.mistake("%s is for %s, and the function's architecture is %s: %s", file, strings.TrimPrefix(program.Machine.String(), "EM_"), *props.architecture().Name(), build)
	}
}

func (props *ProviderProps) architecture() awslambda.Architecture {
	if props.Architecture == nil {
		return awslambda.Architecture_ARM_64()
	}
	return props.Architecture
}

func isTrue(b *bool) bool { return b != nil && *b }

func number(n *float64, usual float64) float64 {
	if n == nil {
		return usual
	}
	return *n
}
