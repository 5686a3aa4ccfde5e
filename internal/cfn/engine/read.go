package engine

import "cmp"

// ReadRequest returns a READ of a resource of the type. It is not one of the stack's requests.
func (t *ResourceType) ReadRequest(s *Stack, logicalID, physicalID, token string) *Request {
	return &Request{RequestType: "Read", RequestID: token, StackID: s.ID, LogicalID: logicalID, Type: t.Name, PhysicalID: physicalID,
		Properties: t.withIdentifier("{}", physicalID, nil), Calls: 1}
}

// A HandlerError is the error that a handler answered.
type HandlerError struct{ Code, Message string }

func (e *HandlerError) Error() string { return e.Code + ": " + e.Message }

// Read returns the resource that a READ is answered with. The error is a
// *HandlerError.
func (t *ResourceType) Read(q *Request, answer []byte) (map[string]any, error) {
	p, err := readProgress(answer)
	switch {
	case err != nil:
		return nil, &HandlerError{"InternalFailure", err.Error()}
	case p.Status == "FAILED":
		return nil, &HandlerError{cmp.Or(p.ErrorCode, "InternalFailure"), p.Message}
	case p.Status != "SUCCESS": // [D] a READ is never in progress
		return nil, &HandlerError{"InternalFailure", "a READ is answered SUCCESS or FAILED"}
	case t.id(p.ResourceModel) != q.PhysicalID:
		return nil, &HandlerError{"InternalFailure", "the answer to a READ has not the identifier that was asked for"}
	}
	return p.ResourceModel, nil
}
