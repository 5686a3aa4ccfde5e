package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

// Handlers say what the registry is to know of each handler of a type.
type Handlers struct {
	Create, Read, Update, Delete, List Handler
}

// A Handler is what one of them needs.
type Handler struct {
	// Permissions are the actions of IAM that the role needs with which
	// CloudFormation calls the handler: s3:CreateBucket. A handler that calls
	// nothing of AWS has none.
	Permissions []string
	// Timeout is how long CloudFormation goes on calling, in whole minutes from 2
	// to 2160. If zero, it is the registry's 120.
	Timeout time.Duration
}

const (
	leastTimeout = 2 * time.Minute
	mostTimeout  = 2160 * time.Minute
)

// Schema returns the schema of a resource type as RegisterType takes it, as JSON:
// what schema.Of returns for its properties P and its attributes D, with what the
// registry is to know of its handlers. The primaryIdentifier is [Identifier].
func Schema[P, D any](typeName string, h Handlers) ([]byte, error) {
	if !typeNames.MatchString(typeName) {
		return nil, errTypeName(typeName)
	}
	raw, err := schema.Of[P, D](typeName)
	if err != nil {
		return nil, err
	}
	type definition struct {
		Permissions []string `json:"permissions"`
		Timeout     int      `json:"timeoutInMinutes,omitempty"`
	}
	definitions := map[string]definition{}
	for _, of := range []struct {
		name string
		Handler
	}{{"create", h.Create}, {"read", h.Read}, {"update", h.Update}, {"delete", h.Delete}, {"list", h.List}} {
		if t := of.Timeout; t != 0 && (t < leastTimeout || t > mostTimeout || t%time.Minute != 0) {
			return nil, fmt.Errorf("the timeout of %s is %s: make it 0, or whole minutes from 2 to 2160", of.name, t)
		}
		permissions := append([]string{}, of.Permissions...) // never null
		definitions[of.name] = definition{permissions, int(of.Timeout / time.Minute)}
	}
	member, err := json.MarshalIndent(definitions, "  ", "  ")
	if err != nil {
		return nil, err
	}
	whole := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimSpace(raw), []byte("}")), " \n")
	return fmt.Appendf(nil, "%s,\n  \"handlers\": %s\n}", whole, member), nil
}

func errTypeName(name string) error {
	return fmt.Errorf("%.100q is no name of a resource type: write Organization::Service::Resource", name)
}
