package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// namespace is that of the metrics in CloudWatch.
const namespace = "CustomResources"

// Metrics returns middleware that writes a line for each call of a handler's
// method, in CloudWatch's embedded metric format. In Lambda, what is written to
// standard output is a log event, of which CloudWatch makes the metrics Duration
// and Errors, by resource type and operation, and needs no permission for it.
//
// The format:
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
func Metrics(write func([]byte) (int, error)) cfnresource.Middleware {
	return func(ctx context.Context, op *cfnresource.Operation, next func(context.Context) error) (err error) {
		l := newLine(op, time.Now())
		l.Errors = 1 // also if next panics
		defer func() {
			l.Duration = float64(time.Since(l.began).Microseconds()) / 1000
			text, _ := json.Marshal(l)       // strings and numbers always marshal
			_, _ = write(append(text, '\n')) // a metric that is lost is no reason to fail
		}()
		if err = next(ctx); err == nil {
			l.Errors = 0
		}
		l.ErrorCode = string(cfnresource.CodeOf(err))
		return err
	}
}

type metric struct{ Name, Unit string }

type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []metric
}

type metadata struct {
	Timestamp         int64 // in milliseconds
	CloudWatchMetrics []directive
}

// A line holds the values of its metrics and dimensions beside the metadata
// that names them. What is not named, ErrorCode, can be searched for.
type line struct {
	Metadata                metadata `json:"_aws"`
	ResourceType, Operation string
	Duration                float64 // in milliseconds
	Errors                  int
	ErrorCode               string `json:",omitempty"`

	began time.Time
}

func newLine(op *cfnresource.Operation, began time.Time) *line {
	return &line{
		Metadata: metadata{
			Timestamp: began.UnixMilli(),
			CloudWatchMetrics: []directive{{
				Namespace:  namespace,
				Dimensions: [][]string{{"ResourceType", "Operation"}},
				Metrics:    []metric{{"Duration", "Milliseconds"}, {"Errors", "Count"}},
			}},
		},
		ResourceType: op.ResourceType,
		Operation:    op.Name,
		began:        began,
	}
}
