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
		if got := Find(name); len(got.Properties)+len(got.Attributes) == 0 {
			t.Errorf("nothing is said of %s", name)
		}
	}
	bucket := Find("AWS::S3::Bucket")
	for name, want := range map[string]Property{"BucketName": {Replaces: true, Takes: TakesText}, "Tags": {Takes: "[@5"}} {
		if got, ok := bucket.Properties[name]; !ok || got != want {
			t.Errorf("%s is %+v, %t, want %+v", name, got, ok, want)
		}
	}
	if want := (Property{Required: true}); Find("AWS::IAM::Role").Properties["AssumeRolePolicyDocument"] != want {
		t.Error("a role needs no policy about who may assume it")
	}
	want := map[string]Form{"AutoScalingConfigurationArn": Text, "AutoScalingConfigurationRevision": Number, "Latest": Boolean}
	if diff := cmp.Diff(want, Find("AWS::AppRunner::AutoScalingConfiguration").Attributes); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	if Find("AWS::Route53::HostedZone").Attributes["NameServers"] != List {
		t.Error("the name servers of a hosted zone are no list")
	}
	for _, name := range []string{"AWS::S3::Bukket", "", "# Copyright Amazon.com, Inc. or its affiliates.", "AWS::S3", "S3::Bucket", "AWS::S3::Bucket\t", "AWS::S3::Bucket\tBucketName", "AWS::S3::Bucket\n"} {
		if Find(name) != nil {
			t.Errorf("the type %q is found, which there is not", name)
		}
	}
}

// What a property takes is known as far as its own properties.
func TestTakes(t *testing.T) {
	bucket := Find("AWS::S3::Bucket").Properties
	if _, list := bucket["VersioningConfiguration"].Takes.Items(); list {
		t.Error("a versioning configuration is a list")
	}
	got, object := bucket["VersioningConfiguration"].Takes.Members()
	if diff := cmp.Diff(map[string]Takes{"Status": TakesText}, got); diff != "" || !object {
		t.Errorf("a versioning configuration, %t (-want +got):\n%s", object, diff)
	}
	tag, list := bucket["Tags"].Takes.Items()
	got, object = tag.Members()
	if diff := cmp.Diff(map[string]Takes{"Key": TakesText, "Value": TakesText}, got); diff != "" || !list || !object {
		t.Errorf("tags, %t, %t (-want +got):\n%s", list, object, diff)
	}
	for of, want := range map[Takes]bool{"{": true, "": false, TakesText: false, "@999999": true, "@-1": true, "@": true} {
		if got, object := of.Members(); len(got) > 0 || object != want {
			t.Errorf("what takes %q has the properties %v, an object: %t", of, got, object)
		}
	}
}

// What Ref gives identifies a resource, some only together with others; of some it is said apart.
func TestRef(t *testing.T) {
	for name, want := range map[string]Type{
		"AWS::S3::Bucket":         {Ref: "BucketName"},
		"AWS::SQS::Queue":         {Ref: "QueueUrl"},
		"AWS::CodeBuild::Project": {Ref: "Name"},
		"AWS::ApiGateway::Stage":  {Ref: "StageName", Scoped: true},
		"AWS::Lambda::Permission": {},
	} {
		if got := Find(name); got.Ref != want.Ref || got.Scoped != want.Scoped {
			t.Errorf("Ref of %s is %q, scoped %t, want %q, %t", name, got.Ref, got.Scoped, want.Ref, want.Scoped)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"AWS::SNS::Topic", "AWS::CloudFormation::WaitConditionHandle"} {
		f.Add(types()[name])
	}
	f.Fuzz(func(t *testing.T, line string) {
		for name := range parse(line).Properties {
			if strings.ContainsAny(name, ",\t") {
				t.Errorf("a property is named %q", name)
			}
		}
	})
}
