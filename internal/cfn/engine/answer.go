package engine

import (
	"cmp"
	"fmt"
	"time"
)

// MaxAnswer is how long an answer may be, in bytes, inclusive [D].
const MaxAnswer = 4096

// MaxPhysicalID is how long a physical ID may be, in bytes [D].
const MaxPhysicalID = 1024

// A verdict is CloudFormation's reading of an answer.
type verdict struct {
	outcome    Outcome
	reason     string // of a failure
	place      string // that it is about, or ""
	physicalID string // "" if the answer has no usable one
	attributes Attributes
	noEcho     bool

	// Set if a registered type's handler is called again: the delay, the callback
	// context and the model. retry repeats the failed call instead.
	delay   time.Duration
	context []byte
	model   Properties
	retry   bool
}

func (v *verdict) ok() bool { return v.outcome == Succeeded }

// rejected is a verdict on an answer that cannot be used at all.
func rejected(format string, args ...any) verdict {
	return verdict{outcome: Rejected, reason: fmt.Sprintf(format, args...)}
}

func (customResource) judge(r *Request, body []byte, o *Options) verdict {
	if len(body) > MaxAnswer {
		return rejected("Response object is too long.") // [O]
	}
	// Its form.
	decoded, err := decode(body)
	if err != nil {
		return rejected("Response is not valid JSON") // [O] aws/aws-cdk#24501
	}
	fields, _ := decoded.(map[string]any) // unlike a struct's, its names are matched exactly
	if fields == nil {
		return rejected("Invalid Response object: not a JSON object") // [?] that it fails is [I]
	}
	text := func(name string) (s string, isString bool) {
		if fields[name] == nil {
			return "", true
		}
		s, isString = fields[name].(string)
		return s, isString
	}
	// Its status, and what it is about.
	status, _ := text("Status")
	if status != "SUCCESS" && status != "FAILED" {
		return rejected("Invalid Response object: '%s' is not a valid ResponseStatus", cmp.Or(status, "null")) // [O]
	}
	id, isString := text("PhysicalResourceId")
	switch {
	case !isString:
		return rejected("Invalid Response object: Value of property PhysicalResourceId must be of type String") // [O]
	case id == "", // [O] it hides the Reason of a FAILED answer
		len(id) > MaxPhysicalID,                         // [?] that it is refused is [D]
		r.RequestType == "Delete" && id != r.PhysicalID: // [O]
		return rejected("Invalid PhysicalResourceId")
	}
	if !o.LenientIDs { // [?]
		for _, want := range [][2]string{{"StackId", r.StackID}, {"RequestId", r.RequestID}, {"LogicalResourceId", r.LogicalID}} {
			if got, _ := text(want[0]); got != want[1] {
				return rejected("Invalid Response object: Value of property %s does not match the request", want[0])
			}
		}
	}
	// What it says.
	if status == "FAILED" { // an empty Reason is not refused [I]
		reason, _ := text("Reason")
		return verdict{outcome: Failed, reason: failedReason(r, reason), physicalID: id}
	}
	v := verdict{outcome: Succeeded, physicalID: id}
	if r.RequestType == "Delete" {
		return v // [D] its Data is not read
	}
	if data := fields["Data"]; data != nil {
		var isObject bool
		if v.attributes, isObject = data.(map[string]any); !isObject {
			return rejected("Invalid Response object: Value of property Data must be an object") // [?]
		}
	}
	v.noEcho = fields["NoEcho"] == true
	return v
}

// failedReason is the reason in the row of a FAILED answer [V].
func failedReason(r *Request, reason string) string {
	return "Received response status [FAILED] from custom resource. Message returned: " + reason + " (RequestId: " + r.RequestID + ")"
}

// timeout is as was seen [O].
func (customResource) timeout(r *Request) string {
	return "CloudFormation did not receive a response from your Custom Resource. Please check your logs for requestId [" + r.RequestID +
		"]. If you are using the Python cfn-response module, you may need to update your Lambda function code so that CloudFormation can attach the updated version."
}
