package main

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// A secret holds how the server is reached, in the form that Secrets Manager's
// rotation of PostgreSQL passwords knows, and the key of all passwords.
type secret struct {
	Host     string `json:"host"`
	Port     int    `json:"port"`
	Username string `json:"username"`
	Password string `json:"password"`
	Database string `json:"dbname"` // that the administrator connects to; if empty, postgres
	// Key is the key that owners' passwords are derived from. Another key is
	// another password for each owner, at its next update.
	Key string `json:"passwordKey"`
}

// minKey is the length of the shortest key that is accepted, in bytes.
const minKey = 32

func parseSecret(text string) (secret, error) {
	s := secret{Port: 5432}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return secret{}, errors.New("the secret is not of the form that is expected: " +
			`{"host": ..., "port": 5432, "username": ..., "password": ..., "passwordKey": ...}`) // the error would quote it
	}
	if s.Host == "" || s.Username == "" {
		return secret{}, errors.New("the secret has no host or no username")
	}
	if len(s.Key) < minKey {
		return secret{}, fmt.Errorf("the secret's passwordKey has %d bytes: make it %d or more, at random", len(s.Key), minKey)
	}
	return s, nil
}

// fromSecretsManager reads a secret's current version.
func fromSecretsManager(client *secretsmanager.Client, arn string) func(context.Context) (secret, error) {
	return func(ctx context.Context) (secret, error) {
		out, err := client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &arn})
		if err != nil {
			return secret{}, fmt.Errorf("the administrator's secret cannot be read: %w", err)
		}
		s, err := parseSecret(aws.ToString(out.SecretString))
		cfnresource.Secret(ctx, s.Password, s.Key) // the driver's errors may quote them
		return s, err
	}
}

// password derives the password of the role with a mark.
func (s secret) password(mark string) string {
	return base64.RawURLEncoding.EncodeToString(sum([]byte(s.Key), mark))
}

// verifier is what the server keeps of the password: neither it nor its log ever
// sees the password itself. The form is that of the column rolpassword
// (PostgreSQL's documentation, "pg_authid"), the algorithm RFC 5802's. The salt
// is derived too, so that one password has one verifier. It fails only where FIPS
// 140 is enforced and forbids the key's length.
func (s secret) verifier(mark string) (string, error) {
	const iterations = 4096 // the server's default
	salt := sum([]byte(s.Key), "salt "+mark)[:16]
	salted, err := pbkdf2.Key(sha256.New, s.password(mark), salt, iterations, sha256.Size)
	if err != nil {
		return "", err
	}
	stored := sha256.Sum256(sum(salted, "Client Key"))
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, b64(salt), b64(stored[:]), b64(sum(salted, "Server Key"))), nil
}

func sum(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
