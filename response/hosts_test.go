package response

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const bucket = "https://cloudformation-custom-resource-response-"
	tests := []struct {
		name   string
		region string
		url    string
		want   string // part of the error; "" if allowed
	}{
		{"us-east-1's form", "us-east-1", bucket + "useast1.s3.amazonaws.com/k?q", ""},
		{"region after a hyphen", "eu-west-1", bucket + "euwest1.s3-eu-west-1.amazonaws.com/k?q", ""},
		{"region after a dot", "eu-central-1", bucket + "eucentral1.s3.eu-central-1.amazonaws.com/k?q", ""},
		{"dual stack", "eu-central-1", bucket + "eucentral1.s3.dualstack.eu-central-1.amazonaws.com/", ""},
		{"FIPS", "us-east-2", bucket + "useast2.s3-fips.us-east-2.amazonaws.com/", ""},
		{"FIPS, dual stack", "us-east-2", bucket + "useast2.s3-fips.dualstack.us-east-2.amazonaws.com/", ""},
		{"upper case, default port", "eu-west-1", "HTTPS://CloudFormation-custom-resource-response-EUWEST1.S3.amazonaws.com:443/", ""},
		{"China", "cn-north-1", bucket + "cnnorth1.s3.cn-north-1.amazonaws.com.cn/", ""},
		{"GovCloud", "us-gov-west-1", bucket + "usgovwest1.s3.us-gov-west-1.amazonaws.com/", ""},
		{"the European Sovereign Cloud", "eusc-de-east-1", bucket + "euscdeeast1.s3.eusc-de-east-1.amazonaws.eu/", ""},
		{"ISO", "us-iso-east-1", bucket + "usisoeast1.s3.us-iso-east-1.c2s.ic.gov/", ""},
		{"ISO B", "us-isob-east-1", bucket + "usisobeast1.s3.us-isob-east-1.sc2s.sgov.gov/", ""},
		{"ISO E", "eu-isoe-west-1", bucket + "euisoewest1.s3.eu-isoe-west-1.cloud.adc-e.uk/", ""},
		{"ISO F", "us-isof-south-1", bucket + "usisofsouth1.s3.us-isof-south-1.csp.hci.ic.gov/", ""},

		{"another region's bucket: anyone can register one for a region that is none", "eu-west-1", bucket + "eunowhere1.s3.amazonaws.com/", "response bucket in eu-west-1"},
		{"another region's endpoint", "eu-west-1", bucket + "euwest1.s3.us-east-1.amazonaws.com/", "response bucket"},
		{"another partition's suffix", "eu-west-1", bucket + "euwest1.s3.amazonaws.com.cn/", "response bucket"},
		{"GovCloud's name without a region is free in the commercial partition", "us-gov-west-1", bucket + "usgovwest1.s3.amazonaws.com/", "response bucket"},
		{"a load balancer called s3", "us-east-1", bucket + "useast1.s3.x.us-east-1.elb.amazonaws.com/", "response bucket"},
		{"a load balancer, one label fewer", "us-east-1", bucket + "useast1.us-east-1.elb.amazonaws.com/", "response bucket"},
		{"another service's host", "us-east-1", bucket + "useast1.execute-api.us-east-1.amazonaws.com/", "response bucket"},
		{"a website of S3's", "us-west-2", bucket + "uswest2.s3-website-us-west-2.amazonaws.com/", "response bucket"},
		{"a longer bucket name", "us-east-1", bucket + "useast1.evil.s3.amazonaws.com/", "response bucket"},
		{"a prefix to the bucket's name", "us-east-1", "https://x-cloudformation-custom-resource-response-useast1.s3.amazonaws.com/", "response bucket"},
		{"a bucket whose name begins like it", "us-west-2", bucket + "uswest2-evil.s3-us-west-2.amazonaws.com/", "response bucket"},
		{"a subdomain of the bucket", "us-east-1", "https://evil.cloudformation-custom-resource-response-useast1.s3.amazonaws.com/", "response bucket"},
		{"the bucket's name in the path", "us-east-1", "https://evil.example/cloudformation-custom-resource-response-useast1.s3.amazonaws.com/", "response bucket"},
		{"a domain that ends like Amazon's", "us-east-1", bucket + "useast1.s3.evilamazonaws.com/", "response bucket"},
		{"another region's bucket at an endpoint of the region", "us-west-2", bucket + "useast1.s3-us-west-2.amazonaws.com/", "response bucket"},
		{"a suffix to the domain", "us-east-1", bucket + "useast1.s3.amazonaws.com.evil.example/", "response bucket"},
		{"a look-alike letter", "us-east-1", bucket + "useast1.s3.аmazonaws.com/", "response bucket"},
		{"a trailing dot", "us-east-1", bucket + "useast1.s3.amazonaws.com./", "response bucket"},
		{"path style: the bucket is not in the host", "us-east-1", "https://s3.amazonaws.com/cloudformation-custom-resource-response-useast1/k", "response bucket"},
		{"another port", "us-east-1", bucket + "useast1.s3.amazonaws.com:8443/", "response bucket"},
		{"no TLS", "us-east-1", "http://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/", "response bucket"},
		{"no TLS on TLS's port", "us-east-1", "http://cloudformation-custom-resource-response-useast1.s3.amazonaws.com:443/", "response bucket"},
		{"a user", "us-east-1", "https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com@evil.example/", "names a user"},
		{"a user at the right host", "us-east-1", "https://u:p@cloudformation-custom-resource-response-useast1.s3.amazonaws.com/", "names a user"},
		{"the instance metadata", "us-east-1", "http://169.254.169.254/latest/", "response bucket"},
		{"the machine itself", "us-east-1", "https://127.0.0.1/", "response bucket"},
		{"the Runtime API", "us-east-1", "http://127.0.0.1:9001/2018-06-01/runtime/", "response bucket"},
		{"no region", "", bucket + "useast1.s3.amazonaws.com/", "set AWS_REGION"},

		{"a listed host", "", "https://bench.example/k?q", ""},
		{"a listed host, another port", "", "https://bench.example:444/k?q", "CFNRESOURCE_RESPONSE_HOSTS"},
		{"a listed host and port", "us-east-1", "https://bench.example:8443/k?q", ""},
		{"a listed host without TLS", "", "http://bench.example/k?q", "CFNRESOURCE_RESPONSE_HOSTS"},
		{"a listed loopback address", "", "http://127.0.0.1:8080/k?q", ""},
		{"a listed loopback address with TLS", "", "https://127.0.0.1:8080/k?q", "CFNRESOURCE_RESPONSE_HOSTS"},
		{"a listed loopback address, IPv6", "", "http://[::1]:8080/k?q", ""},
		{"a listed loopback name", "", "http://LocalHost:8080/k?q", ""},
		{"another spelling of a loopback address", "", "http://127.1:8080/k?q", "CFNRESOURCE_RESPONSE_HOSTS"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSender(tt.region, SenderOptions{Hosts: []string{"bench.example", " BENCH.example:8443", "http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:8080", ""}})
			if err := s.Err(); err != nil {
				t.Fatal(err)
			}
			err := s.Check(mustParse(t, tt.url))
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Check = %v, want %q", err, tt.want)
			}
		})
	}
	if err := NewSender("us-east-1", SenderOptions{}).Check(URL{}); err == nil {
		t.Error("the zero URL is allowed")
	}
}

func TestNewSenderReportsWhatItCannotRead(t *testing.T) {
	for name, tt := range map[string]struct{ region, host string }{
		"plain HTTP to another machine":               {"", "http://bench.example:80"},
		"plain HTTP to a name that is like localhost": {"", "http://localhost.example"},
		"another scheme":                              {"", "ftp://127.0.0.1"},
		"a path":                                      {"", "bench.example/path"},
		"a query":                                     {"", "bench.example?x"},
		"a user":                                      {"", "me:hunter2@bench.example"},
		"no host":                                     {"", ":443"},
		"an empty port":                               {"", "bench.example:"},
		"a port that is none":                         {"", "bench.example:hunter2"},
		"two hosts in one":                            {"", "a.example b.example"},
		"a region that is none":                       {"us-east-1.evil.example/", ""},
		"a region that is a domain":                   {"x.elb", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSender(tt.region, SenderOptions{Hosts: []string{tt.host, "good.example"}})
			if err := s.Err(); err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("Err = %v, want an error without the value", err)
			}
			if err := s.Check(mustParse(t, "https://good.example/")); err != nil {
				t.Errorf("the host beside it is not in force: %v", err)
			}
			if len(s.allowed) != 1 {
				t.Errorf("allowed: %v", s.allowed)
			}
		})
	}
}

// An event's host is a stranger's text: it makes neither a long error nor a line of its own.
func TestRefusedHostsAreShown(t *testing.T) {
	for _, host := range []string{strings.Repeat("a", 100_000), "a%E2%80%A8FAKE", "%C2%85FAKE.example"} {
		u, err := ParseURL("https://" + host + "/?" + queryV4)
		if err != nil {
			continue // no URL is no host
		}
		err = NewSender("eu-west-1", SenderOptions{}).Check(u)
		if err == nil || len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\u2028\u0085") {
			t.Errorf("%.300q", err)
		}
	}
}
