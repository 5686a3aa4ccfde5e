package resourcetype

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The table that is embedded is read, and says what is known of types that nobody doubts.
func TestTable(t *testing.T) {
	if _, err := time.Parse(time.DateOnly, Date()); err != nil {
		t.Error(err)
	}
	names := slices.Collect(Names())
	if len(names) < 1800 {
		t.Errorf("%d types, want 1800 or more", len(names))
	}
	for _, name := range names {
		if strings.Count(name, "::") != 2 || strings.HasPrefix(name, "AWS::Serverless::") {
			t.Errorf("%s is no type of CloudFormation", name)
		}
		if got := Find(name); len(got.Properties)+len(got.Attributes)+len(got.ID) == 0 {
			t.Errorf("nothing is said of %s", name)
		}
	}
	bucket := Find("AWS::S3::Bucket")
	if diff := cmp.Diff([]string{"BucketName"}, bucket.ID); diff != "" {
		t.Errorf("a bucket's identifier (-want +got):\n%s", diff)
	}
	for _, property := range []Property{{Name: "BucketName", Replaces: true}, {Name: "Tags"}} {
		if got, ok := bucket.Property(property.Name); !ok || got != property {
			t.Errorf("%s is %+v, %t, want %+v", property.Name, got, ok, property)
		}
	}
	if got, _ := Find("AWS::IAM::Role").Property("AssumeRolePolicyDocument"); !got.Required {
		t.Error("a role needs no policy about who may assume it")
	}
	for name, want := range map[string]Form{"NameServers": List, "Id": Text} {
		if got, ok := Find("AWS::Route53::HostedZone").Attribute(name); !ok || got.Form != want {
			t.Errorf("the attribute %s of a hosted zone has the form %d, %t, want %d", name, got.Form, ok, want)
		}
	}
	if Find("AWS::S3::Bukket") != nil {
		t.Error("a type is found that there is not")
	}
	if _, ok := bucket.Attribute("Arnn"); ok {
		t.Error("an attribute is found that there is not")
	}
}

// What Ref gives of a rule is its name, although its ARN identifies it: the package says so apart.
func TestIdentifierIsWhatRefGives(t *testing.T) {
	for name, want := range map[string]string{"AWS::CodeBuild::Project": "Name", "AWS::SQS::Queue": "QueueUrl", "AWS::EC2::EIP": "PublicIp"} {
		if diff := cmp.Diff([]string{want}, Find(name).ID); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	_, types := table()
	for _, name := range []string{"AWS::SNS::Topic", "AWS::CloudFormation::WaitConditionHandle"} {
		f.Add(types[name])
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, property := range parse(line).Properties {
			if strings.ContainsAny(property.Name, ",\t") {
				t.Errorf("a property is named %q", property.Name)
			}
		}
	})
}

func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		if _, types := read(); len(types) == 0 {
			b.Fatal("no types")
		}
	}
}
