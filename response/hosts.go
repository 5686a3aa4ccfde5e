package response

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
)

// An allowList holds where answers may go, as scheme://host:port, and whether
// it is a response bucket of CloudFormation's, or else a listed host.
type allowList map[string]bool

// isRegion reports whether s has the form of a Region's name: words of letters
// and a number, joined by hyphens.
func isRegion(s string) bool {
	words := strings.Split(s, "-")
	last := len(words) - 1
	if last < 2 || words[last] == "" || strings.Trim(words[last], "0123456789") != "" {
		return false
	}
	return !slices.ContainsFunc(words[:last], func(w string) bool {
		return w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != ""
	})
}

// newAllowList lists the response bucket of a region and some more hosts. Beside
// an error, it still holds the valid entries.
func newAllowList(region string, hosts []string) (allowList, error) {
	list := make(allowList)
	var errs []error
	if region != "" && !isRegion(region) {
		errs = append(errs, fmt.Errorf("response: %q is not the name of an AWS Region: correct AWS_REGION", region))
	} else if region != "" {
		for _, host := range bucketHosts(region) {
			list["https://"+host+":443"] = true
		}
	}
	for _, host := range hosts {
		host = strings.TrimSpace(host)
		if host == "" { // an unset variable, split
			continue
		}
		o, err := listedOrigin(host)
		if err != nil {
			errs = append(errs, err)
		} else if _, ok := list[o]; !ok {
			list[o] = false
		}
	}
	return list, errors.Join(errs...)
}

// bucketHosts returns every name that S3 gives the bucket in which CloudFormation awaits the
// answers of a region's custom resources. The AWS CloudFormation User Guide gives the bucket's name
// where it describes VPC endpoints. The region must be the function's own: a bucket of this form
// for a region that CloudFormation is not in can be registered by anyone, and so can names that
// merely look alike, such as those of load balancers, which is why no pattern is used.
func bucketHosts(region string) []string {
	bucket := "cloudformation-custom-resource-response-" + strings.ReplaceAll(region, "-", "")
	suffix := dnsSuffix(region)
	var hosts []string
	for _, s3 := range []string{
		"s3." + region, "s3-" + region, "s3.dualstack." + region,
		"s3-fips." + region, "s3-fips.dualstack." + region,
	} {
		hosts = append(hosts, bucket+"."+s3+"."+suffix)
	}
	// Without a region the name belongs to the commercial partition, where a
	// GovCloud bucket's name is anyone's to register.
	if !strings.HasPrefix(region, "us-gov-") {
		hosts = append(hosts, bucket+".s3."+suffix)
	}
	return hosts
}

// dnsSuffix returns the DNS suffix of the AWS partition that a region is in,
// as the AWS SDKs' partition metadata has it.
func dnsSuffix(region string) string {
	for _, partition := range []struct{ regions, suffix string }{
		{"cn-", "amazonaws.com.cn"},
		{"eusc-", "amazonaws.eu"},
		{"us-iso-", "c2s.ic.gov"},
		{"us-isob-", "sc2s.sgov.gov"},
		{"eu-isoe-", "cloud.adc-e.uk"},
		{"us-isof-", "csp.hci.ic.gov"},
	} {
		if strings.HasPrefix(region, partition.regions) {
			return partition.suffix
		}
	}
	return "amazonaws.com" // the commercial partition and GovCloud
}

// listedOrigin reads "HOST", "HOST:PORT" or "http://LOOPBACK:PORT".
func listedOrigin(host string) (string, error) {
	raw := host
	if !strings.Contains(raw, "://") {
		raw = "https://" + raw
	}
	u, err := url.Parse(raw)
	isBare := err == nil && *u == (url.URL{Scheme: u.Scheme, Host: u.Host}) // without a user, a path or a query
	hasHost := isBare && u.Hostname() != ""
	if !hasHost || strings.HasSuffix(u.Host, ":") {
		return "", errors.New("response: a response host is not of the form HOST, HOST:PORT or http://LOOPBACK-HOST:PORT: correct Options.ResponseHosts or CFNRESOURCE_RESPONSE_HOSTS")
	}
	isLocal := u.Scheme == "http" && isLoopback(u.Hostname())
	if u.Scheme != "https" && !isLocal {
		return "", fmt.Errorf("response: the response host %q is not reached over https, and only a loopback host may be reached over http: correct Options.ResponseHosts or CFNRESOURCE_RESPONSE_HOSTS", u.Host)
	}
	return origin(u), nil
}

func isLoopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// origin returns the scheme, the host in lower case, and the port.
func origin(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// Err returns what is wrong with the arguments of NewSender: a region, hosts or a time that
// cannot be used. The others are in force all the same.
func (s *HTTPSender) Err() error { return s.err }

// maxHostText is how many bytes of a host an error shows: as many as a host's name can have.
const maxHostText = 255

// Check reports whether an answer may be sent to url: only to the region's response bucket over
// https, and to the hosts listed. The error never holds the URL's query.
func (s *HTTPSender) Check(url URL) error {
	if url.get == nil {
		return errors.New("response: there is no ResponseURL")
	}
	to := url.get()
	if to.User != nil {
		return errors.New("response: the ResponseURL names a user, which CloudFormation's never do; nothing is sent to it")
	}
	if _, ok := s.allowed[origin(to)]; ok {
		return nil
	}
	why := "it is not CloudFormation's response bucket in " + s.region
	if s.region == "" {
		why = "the function's region is not known: set AWS_REGION"
	}
	return fmt.Errorf("response: nothing is sent to %s://%s: %s; if answers are meant to go there, list the host in Options.ResponseHosts or CFNRESOURCE_RESPONSE_HOSTS", to.Scheme, shorten(clean(to.Host), maxHostText), why)
}
