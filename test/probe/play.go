package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/smithy-go"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// A world is where scenarios are played: an account, or a local CloudFormation.
type world struct {
	client   *cloudformation.Client
	calls    atomic.Int64  // that the client has made
	topic    string        // the ServiceToken
	to       allowed       // for answers
	dir      string        // for the templates of nested stacks, or ""
	second   time.Duration // how long one of the scenarios' seconds takes
	poll     time.Duration // between two looks at a stack
	patience time.Duration // with what the engine says comes next
	limit    time.Duration // of a play, beside what it takes by its own clock
}

func (w *world) counted(o *cloudformation.Options) { o.HTTPClient = counter{o.HTTPClient, &w.calls} }

type counter struct {
	cloudformation.HTTPClient
	calls *atomic.Int64
}

func (c counter) Do(r *http.Request) (*http.Response, error) {
	c.calls.Add(1)
	return c.HTTPClient.Do(r)
}

// A play is of one scenario.
type play struct {
	*plan
	*world
	name string // of the stack

	history history
	rootID  string
	rest    string // the EventId of the row with which it came to rest

	mu       sync.Mutex        // of what follows, which handler.go has
	changed  chan struct{}     // closed, and made anew, at each change
	running  int               // requests that are being handled
	done     []bool            // the acts of the plan
	strayed  bool              // it goes another way than the engine
	used     map[string][]bool // the lines of the answers
	created  int
	step     int
	requests []request
}

const prefix = "cfnprobe-"

// newPlay returns a play. The stack's name has one hyphen: where there is another one in
// a StackId, the stack is nested.
func newPlay(p *plan, w *world) *play {
	one := &play{plan: p, world: w, name: prefix + strings.ReplaceAll(p.Name, "-", ""),
		changed: make(chan struct{}), done: make([]bool, len(p.run.Acts)), used: map[string][]bool{}}
	for key, lines := range p.Answers {
		one.used[key] = make([]bool, len(lines))
	}
	return one
}

// run plays the scenario, and returns what came of it.
func (p *play) run(ctx context.Context) (h history, err error) {
	if err := p.writeNested(); err != nil {
		return h, err
	}
	began := time.Now()
	for i, step := range p.Steps {
		if step.Action == "drain" {
			p.drain(ctx)
			continue
		}
		act := slices.IndexFunc(p.plan.run.Acts, func(a enginetest.Act) bool { return a.Kind == enginetest.Orders && a.N == i })
		if step.Breaks {
			p.await(ctx, act)
			p.pause(ctx, began, step.After)
		} else { // nothing else is under way
			p.mu.Lock()
			p.step++
			p.note(act)
			p.mu.Unlock()
		}
		// CloudFormation may refuse an order, which is a part of what is seen.
		began = time.Now()
		err := p.order(ctx, step)
		p.happened(act)
		if refusal, ok := errors.AsType[smithy.APIError](err); ok && refusedAs(err, "ValidationError", "AlreadyExistsException") {
			p.history.Refused = append(p.history.Refused, step.Text+": "+refusal.ErrorMessage())
			continue
		}
		if err != nil {
			return h, fmt.Errorf("%s: %w", step.Text, err)
		}
		if breaksIn := i+1 < len(p.Steps) && p.Steps[i+1].Breaks; !breaksIn {
			if err := p.awaitRest(ctx); err != nil {
				return h, fmt.Errorf("%s: %w", step.Text, err)
			}
		}
	}
	p.history.Requests = p.drain(ctx)
	if err := p.look(ctx); err != nil {
		return h, err
	}
	return p.history, nil
}

func (p *play) writeNested() error {
	for name, text := range p.Texts {
		if p.dir == "" || strings.HasPrefix(name, "v") {
			continue
		}
		body, err := p.body(text)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(p.dir, p.Name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(p.dir, p.Name, name+".json"), []byte(body), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (p *play) body(text string) (string, error) {
	t, err := enginetest.ParseTemplate(text)
	if err != nil {
		return "", err
	}
	return templateBody(t, p.topic, filepath.Join(p.dir, p.Name))
}

func (p *play) order(ctx context.Context, step enginetest.Step) error {
	name, d := aws.String(p.name), step.Deployment
	set := func(is bool) *bool { // what is not asked for is not sent
		if !is {
			return nil
		}
		return &is
	}
	var body *string
	if step.Template != "" {
		text, err := p.body(p.Texts[step.Template])
		if err != nil {
			return err
		}
		body = &text
	}
	var express *types.DeploymentConfig
	if d.Express {
		express = &types.DeploymentConfig{Mode: types.DeploymentConfigModeExpress}
		if d.ExpressRollback {
			express.DisableRollback = aws.Bool(false)
		}
	}
	var err error
	switch step.Action {
	case "create":
		var out *cloudformation.CreateStackOutput
		out, err = p.client.CreateStack(ctx, &cloudformation.CreateStackInput{StackName: name, TemplateBody: body, DisableRollback: set(d.DisableRollback),
			OnFailure: types.OnFailure(d.OnFailure), RetainExceptOnCreate: set(d.RetainExceptOnCreate), EnableTerminationProtection: set(d.TerminationProtection), DeploymentConfig: express})
		if err == nil {
			p.rootID = *out.StackId
		}
	case "update":
		_, err = p.client.UpdateStack(ctx, &cloudformation.UpdateStackInput{StackName: name, TemplateBody: body, DisableRollback: set(d.DisableRollback), RetainExceptOnCreate: set(d.RetainExceptOnCreate), DeploymentConfig: express})
	case "delete":
		in := &cloudformation.DeleteStackInput{StackName: name, RetainResources: step.Retain}
		if step.Force {
			in.DeletionMode = types.DeletionModeForceDeleteStack
		}
		_, err = p.client.DeleteStack(ctx, in)
	case "cancel":
		_, err = p.client.CancelUpdateStack(ctx, &cloudformation.CancelUpdateStackInput{StackName: name})
	case "rollback":
		_, err = p.client.RollbackStack(ctx, &cloudformation.RollbackStackInput{StackName: name, RetainExceptOnCreate: set(d.RetainExceptOnCreate)})
	case "continue":
		_, err = p.client.ContinueUpdateRollback(ctx, &cloudformation.ContinueUpdateRollbackInput{StackName: name, ResourcesToSkip: step.Skip})
	default:
		return fmt.Errorf("there is no step %s", step.Action)
	}
	return err
}

// awaitRest waits until the stack, if there is one, has come to rest after an order.
func (p *play) awaitRest(ctx context.Context) error {
	for p.rootID != "" {
		out, err := p.client.DescribeStackEvents(ctx, &cloudformation.DescribeStackEventsInput{StackName: &p.rootID})
		if err != nil {
			return err
		}
		// The newest row about the stack decides, unless it is from before the order: rows come late.
		for _, e := range out.StackEvents {
			if aws.ToString(e.PhysicalResourceId) != p.rootID || aws.ToString(e.ResourceType) != engine.StackType {
				continue
			}
			id := aws.ToString(e.EventId)
			if id == p.rest && e.ResourceStatus == types.ResourceStatusDeleteComplete { // nothing can begin
				return nil
			}
			if id != p.rest && !strings.HasSuffix(string(e.ResourceStatus), "_IN_PROGRESS") {
				p.rest = id
				return nil
			}
			break
		}
		if err := sleep(ctx, p.poll); err != nil {
			return err
		}
	}
	return nil
}

// refusedAs reports whether an order was refused with one of the codes.
func refusedAs(err error, codes ...string) bool {
	e, ok := errors.AsType[smithy.APIError](err)
	return ok && slices.Contains(codes, e.ErrorCode())
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
