#!/bin/sh
# A custom runtime in a shell, with curl.
set -eu
api="http://$AWS_LAMBDA_RUNTIME_API/2018-06-01/runtime/invocation"
while :; do
	headers=$(mktemp)
	event=$(curl -sS -f -D "$headers" "$api/next")
	id=$(grep -i '^Lambda-Runtime-Aws-Request-Id:' "$headers" | tr -d '[:space:]' | cut -d: -f2)
	rm -f "$headers"
	echo "shell has $event"
	curl -sS -f -o /dev/null -d "{\"echo\":$event,\"handler\":\"$_HANDLER\"}" "$api/$id/response"
done
