package engine

import (
	"strings"
)

// A StandIn says what becomes of a stand-in's operation ("Create", "Update" or
// "Delete"). It is asked once for each.
type StandIn func(operation string, r *StackResource) Fate

// A Fate is what becomes of a stand-in's operation. The zero value is success.
type Fate struct {
	Failure    string // the reason of the failure, if it fails
	Unmade     bool   // it fails before there is a physical ID
	PhysicalID string // instead of a made-up one
	Replace    bool   // of an Update: it makes another physical resource
}

// A kind is what a stand-in of a type looks like. In its texts {p}, {r} and {a}
// stand for partition, region and account, and {id} for the name.
type kind struct {
	name string // the property that names it; another name is another resource [D]
	ref  string // what Ref gives; the physical ID
	arn  string
}

// kinds are the types whose shape matters to templates of custom resources.
// All others are named like them and have ARNs of a general form.
var kinds = map[string]kind{
	"AWS::Lambda::Function":            {"FunctionName", "{id}", "arn:{p}:lambda:{r}:{a}:function:{id}"},
	"AWS::Lambda::Version":             {"", "arn:{p}:lambda:{r}:{a}:function:{id}:1", ""},
	"AWS::Lambda::Alias":               {"", "arn:{p}:lambda:{r}:{a}:function:{id}", ""},
	"AWS::IAM::Role":                   {"RoleName", "{id}", "arn:{p}:iam::{a}:role/{id}"},
	"AWS::IAM::Policy":                 {"", "{id}", ""},
	"AWS::IAM::ManagedPolicy":          {"", "arn:{p}:iam::{a}:policy/{id}", ""},
	"AWS::S3::Bucket":                  {"BucketName", "{id}", "arn:{p}:s3:::{id}"},
	"AWS::SQS::Queue":                  {"QueueName", "https://sqs.{r}.amazonaws.com/{a}/{id}", "arn:{p}:sqs:{r}:{a}:{id}"},
	"AWS::SNS::Topic":                  {"TopicName", "arn:{p}:sns:{r}:{a}:{id}", ""},
	"AWS::SNS::Subscription":           {"", "arn:{p}:sns:{r}:{a}:topic:{id}", ""},
	"AWS::SSM::Parameter":              {"Name", "{id}", ""},
	"AWS::DynamoDB::Table":             {"TableName", "{id}", "arn:{p}:dynamodb:{r}:{a}:table/{id}"},
	"AWS::Logs::LogGroup":              {"LogGroupName", "{id}", "arn:{p}:logs:{r}:{a}:log-group:{id}:*"},
	"AWS::Events::Rule":                {"Name", "{id}", "arn:{p}:events:{r}:{a}:rule/{id}"},
	"AWS::KMS::Key":                    {"", "{id}", "arn:{p}:kms:{r}:{a}:key/{id}"},
	"AWS::SecretsManager::Secret":      {"Name", "arn:{p}:secretsmanager:{r}:{a}:secret:{id}", ""},
	"AWS::StepFunctions::StateMachine": {"StateMachineName", "arn:{p}:states:{r}:{a}:stateMachine:{id}", ""},
}

func fillIn(s *Stack, form, id string) string {
	return strings.NewReplacer("{p}", s.Options.Partition, "{r}", s.Options.Region, "{a}", s.Options.Account, "{id}", id).Replace(form)
}

// standInID returns the physical ID of a stand-in: by the name that its
// properties have, or a made-up one.
func standInID(s *Stack, r *StackResource) string {
	k := kinds[r.Type]
	id := standInName(r.Type, r.Properties)
	if id == "" {
		id = s.madeUp(r.LogicalID)
		if r.Type == "AWS::S3::Bucket" {
			id = strings.ToLower(id)
		}
	}
	return fillIn(s, or(k.ref, "{id}"), id)
}

// standInName returns the name that properties give a stand-in, or "".
func standInName(typ string, p Properties) string {
	k := kinds[typ]
	if k.name == "" {
		return ""
	}
	name, _ := p.Map()[k.name].(string)
	return name
}

// standInAttribute makes an attribute up: an ARN where it is named so, else the
// physical ID and the attribute's name.
func standInAttribute(s *Stack, r *StackResource, attribute string) string {
	form := kinds[r.Type].ref
	name := r.PhysicalID
	if before, after, ok := strings.Cut(form, "{id}"); ok {
		before, after = fillIn(s, before, ""), fillIn(s, after, "")
		name = strings.TrimSuffix(strings.TrimPrefix(name, before), after)
	}
	switch {
	case attribute == "Arn" || attribute == strings.TrimPrefix(r.Type[strings.LastIndexByte(r.Type, ':')+1:], ":")+"Arn":
		if strings.HasPrefix(r.PhysicalID, "arn:") {
			return r.PhysicalID
		}
		arn := kinds[r.Type].arn
		if arn == "" {
			service, _, _ := strings.Cut(strings.TrimPrefix(r.Type, "AWS::"), "::")
			arn = "arn:{p}:" + strings.ToLower(service) + ":{r}:{a}:{id}"
		}
		return fillIn(s, arn, name)
	case strings.HasSuffix(attribute, "Name"):
		return name
	}
	return name + "." + attribute
}

// stand plays an operation of a stand-in, which is over at once.
func (m *Machine) stand(i int, operation string, r *StackResource) {
	var f Fate
	if m.StandIn != nil {
		f = m.StandIn(operation, r)
	}
	v := verdict{outcome: Succeeded, physicalID: or(f.PhysicalID, r.PhysicalID)}
	switch operation {
	case "Create":
		if f.Unmade {
			r.Sent = false
		} else if f.PhysicalID == "" {
			v.physicalID = standInID(m.stack, r)
		}
	case "Update":
		if f.Replace || standInName(r.Type, r.Properties) != standInName(r.Type, r.Old) {
			v.physicalID = or(f.PhysicalID, standInID(m.stack, r))
			m.row(r, "UPDATE_IN_PROGRESS", "Requested update requires the creation of a new physical resource; hence creating one.") // [V]
		} else {
			m.row(r, "UPDATE_IN_PROGRESS", "")
		}
	}
	if f.Failure != "" {
		v.outcome, v.reason = Failed, f.Failure
		if operation == "Update" { // [I] a replacement that fails leaves nothing
			v.physicalID = r.PhysicalID
		}
	}
	m.made = append(m.made, outcome{i, v})
}
