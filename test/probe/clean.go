package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
)

// leftStacks returns the names of the probe's stacks that are there.
func (w *world) leftStacks(ctx context.Context) (names []string, err error) {
	pages := cloudformation.NewDescribeStacksPaginator(w.client, &cloudformation.DescribeStacksInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range page.Stacks {
			if strings.HasPrefix(*s.StackName, prefix) && s.ParentId == nil {
				names = append(names, *s.StackName)
			}
		}
	}
	return names, nil
}

// maxDeletions bounds how often a stack's deletion is ordered: what is under way may
// refuse one, and each that fails retains more.
const maxDeletions = 5

// remove removes a stack, whatever it is in. Its requests are answered SUCCESS.
func (w *world) remove(ctx context.Context, r *router, name string) error {
	r.remove(ctx, name)
	for range maxDeletions {
		s, err := w.resting(ctx, name)
		if err != nil || s == nil || s.StackStatus == types.StackStatusDeleteComplete {
			return err
		}
		if aws.ToBool(s.EnableTerminationProtection) {
			if _, err := w.client.UpdateTerminationProtection(ctx, &cloudformation.UpdateTerminationProtectionInput{StackName: &name, EnableTerminationProtection: aws.Bool(false)}); err != nil {
				return err
			}
		}
		// CloudFormation takes resources to retain only after a deletion that failed.
		in := &cloudformation.DeleteStackInput{StackName: &name}
		if s.StackStatus == types.StackStatusDeleteFailed {
			if in.RetainResources, err = w.notDeleted(ctx, name); err != nil {
				return err
			}
		}
		if _, err := w.client.DeleteStack(ctx, in); err != nil && !refusedAs(err, "ValidationError") { // what is under way has gone on
			return err
		}
		if err := sleep(ctx, w.poll); err != nil {
			return err
		}
	}
	return fmt.Errorf("the stack %s is still there", name)
}

// resting returns a stack once it can be deleted, or nil. It cancels an update that is under way.
func (w *world) resting(ctx context.Context, name string) (*types.Stack, error) {
	for {
		out, err := w.client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &name})
		if refusedAs(err, "ValidationError") { // there is none
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		// DeleteStack is taken at rest, and while the stack is created. An update must be cancelled first.
		status := out.Stacks[0].StackStatus
		isAtRest := !strings.HasSuffix(string(status), "_IN_PROGRESS")
		isNew := status == types.StackStatusReviewInProgress || status == types.StackStatusCreateInProgress
		switch {
		case isAtRest, isNew:
			return &out.Stacks[0], nil
		case status == types.StackStatusUpdateInProgress:
			if _, err := w.client.CancelUpdateStack(ctx, &cloudformation.CancelUpdateStackInput{StackName: &name}); err != nil && !refusedAs(err, "ValidationError") {
				return nil, err
			}
		}
		if err := sleep(ctx, w.poll); err != nil {
			return nil, err
		}
	}
}

// notDeleted are the resources of a stack that a deletion has failed on.
func (w *world) notDeleted(ctx context.Context, name string) (ids []string, err error) {
	pages := cloudformation.NewListStackResourcesPaginator(w.client, &cloudformation.ListStackResourcesInput{StackName: &name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range page.StackResourceSummaries {
			if r.ResourceStatus == types.ResourceStatusDeleteFailed {
				ids = append(ids, *r.LogicalResourceId)
			}
		}
	}
	return ids, nil
}

func (w *world) clean(ctx context.Context, r *router) error {
	names, err := w.leftStacks(ctx)
	for _, name := range names {
		err = errors.Join(err, w.remove(ctx, r, name))
	}
	return err
}
