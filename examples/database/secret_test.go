package main

import (
	"strings"
	"testing"
)

// Another value is another password for every owner that there is: these are never updated.
func TestThePasswordIsFixedForEver(t *testing.T) {
	s := secret{Key: testKey}
	const m = "my-stack-database-abcdefghijklmnop"
	if got, want := s.password(m), "zaiYhtfL-juyYXJ3CalAGl8elZOEG1vG3UvWnXHaBe8"; got != want {
		t.Errorf("password is %s, want %s", got, want)
	}
	got, err := s.verifier(m)
	if want := "SCRAM-SHA-256$4096:4yvdKIdi1lr9/DM1r8oDxQ==$m+01xChWA4rrAEwYMRDPUhoH9QfcXI4q0hizBFEeZSE=:oFxNmhKA8WJsl02ddNSDX3yTGvI8U6ioazxgZGJNJeU="; got != want || err != nil {
		t.Errorf("verifier is %s, %v, want %s", got, err, want)
	}
}

func TestEachDatabaseAndKeyHasAPasswordOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range []string{testKey, testKey + "2"} {
		for _, m := range []string{"a", "b"} {
			seen[secret{Key: key}.password(m)] = true
		}
	}
	if len(seen) != 4 {
		t.Errorf("four databases have %d passwords", len(seen))
	}
}

func TestParseSecret(t *testing.T) {
	got, err := parseSecret(`{"host": "h", "username": "u", "password": "p", "passwordKey": "` + testKey + `", "engine": "postgres"}`)
	if want := (secret{Host: "h", Port: 5432, Username: "u", Password: "p", Key: testKey}); err != nil || got != want {
		t.Errorf("parsed another secret, or error %v", err)
	}
	for name, text := range map[string]string{
		"no JSON":     `hunter22`,
		"a type":      `{"host": "h", "port": "hunter22"}`,
		"no host":     `{"username": "u", "password": "hunter22", "passwordKey": "` + testKey + `"}`,
		"no username": `{"host": "h", "password": "hunter22", "passwordKey": "` + testKey + `"}`,
		"no key":      `{"host": "h", "username": "u", "password": "hunter22"}`,
		"short key":   `{"host": "h", "username": "u", "passwordKey": "hunter22"}`,
	} {
		if _, err := parseSecret(text); err == nil || strings.Contains(err.Error(), "hunter22") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
