package host

import "encoding/json"

// record is what a destination gets (AWS Lambda Developer Guide, "Capturing
// records of Lambda asynchronous invocations").
func (h *Host) record(d *delivery, condition string, attempts int, last outcome) []byte {
	type responseContext struct {
		StatusCode      int    `json:"statusCode"`
		ExecutedVersion string `json:"executedVersion"`
		FunctionError   string `json:"functionError"`
	}
	var record struct {
		Version        string `json:"version"`
		Timestamp      string `json:"timestamp"`
		RequestContext struct {
			RequestID              string `json:"requestId"`
			FunctionARN            string `json:"functionArn"`
			Condition              string `json:"condition"`
			ApproximateInvokeCount int    `json:"approximateInvokeCount"`
		} `json:"requestContext"`
		RequestPayload  json.RawMessage  `json:"requestPayload"`
		ResponseContext *responseContext `json:"responseContext,omitempty"`
		ResponsePayload json.RawMessage  `json:"responsePayload,omitempty"`
	}
	record.Version, record.Timestamp = "1.0", h.config.Clock.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	record.RequestContext.RequestID = d.id
	record.RequestContext.FunctionARN = unqualified(d.function.ARN) + ":" + qualifier(d.function.ARN)
	record.RequestContext.Condition = condition
	record.RequestContext.ApproximateInvokeCount = attempts
	record.RequestPayload = d.payload
	if attempts > 0 {
		record.ResponseContext = &responseContext{200, latest, "Unhandled"}
		record.ResponsePayload = last.payload
	}
	out, _ := json.Marshal(record) // payloads have been checked to be JSON
	return out
}
