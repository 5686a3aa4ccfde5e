package main

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// look reads what came of the stack, and of those that are nested in it.
func (p *play) look(ctx context.Context) error {
	if p.rootID == "" {
		return nil
	}
	ids := []string{p.rootID}
	for i := 0; i < len(ids); i++ {
		s, nested, err := p.lookAt(ctx, ids[i])
		if err != nil {
			return err
		}
		p.history.Stacks, ids = append(p.history.Stacks, s), append(ids, nested...)
	}
	return nil
}

func (p *play) lookAt(ctx context.Context, id string) (s stack, nested []string, err error) {
	out, err := p.client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &id})
	if err != nil {
		return s, nil, err
	}
	described := out.Stacks[0]
	s = stack{Path: p.pathOf(id, ""), StackId: id, StackName: *described.StackName, StackStatus: string(described.StackStatus), StackStatusReason: aws.ToString(described.StackStatusReason)}
	for _, o := range described.Outputs {
		s.Outputs = append(s.Outputs, output{*o.OutputKey, aws.ToString(o.OutputValue)})
	}
	pages := cloudformation.NewDescribeStackEventsPaginator(p.client, &cloudformation.DescribeStackEventsInput{StackName: &id})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return s, nil, err
		}
		for _, e := range page.StackEvents { // the newest is first
			s.StackEvents = append(s.StackEvents, row{aws.ToString(e.LogicalResourceId), aws.ToString(e.PhysicalResourceId), aws.ToString(e.ResourceType), string(e.ResourceStatus), aws.ToString(e.ResourceStatusReason)})
		}
	}
	slices.Reverse(s.StackEvents)
	for _, r := range s.StackEvents {
		if r.ResourceType == engine.StackType && r.PhysicalResourceId != id && r.PhysicalResourceId != "" && !slices.Contains(nested, r.PhysicalResourceId) {
			nested = append(nested, r.PhysicalResourceId)
		}
	}
	return s, nested, nil
}
