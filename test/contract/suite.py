#!/usr/bin/python3
"""Run the contract suite of AWS's CloudFormation CLI over a resource type.

    suite.py [--inputs FILE] [--config FILE] PROGRAM [-- ARGUMENTS OF PYTEST]

PROGRAM is the type's function. It is started as Lambda starts it, and asked for its schema. FILE has
{"CREATE": {...}, "UPDATE": {...}, "INVALID": {...}}; without one the suite makes up values from the schema.
"""

import argparse
import json
import os
import queue
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

# The CLI imports these for commands that the suite does not reach.
for name in ("cfnlint", "cfnlint.config", "cfnlint.core", "cfn_flip", "cfn_tools", "referencing", "referencing.exceptions"):
    sys.modules.setdefault(name, mock.MagicMock())


def nested_lookup(key, document):
    """Stand in for the package of this name: return the values under a key, wherever it is.

    >>> nested_lookup("$ref", {"items": [{"$ref": "a"}], "not": {"$ref": "b"}})
    ['a', 'b']

    Most of what the suite looks for is absent. If that raised an error, the suite would take it for an absent
    schema, and would not see that a list is a set.

    >>> nested_lookup("$ref", {"insertionOrder": False, "items": {"type": "string"}})
    []
    """
    if isinstance(document, list):
        return [value for part in document for value in nested_lookup(key, part)]
    if not isinstance(document, dict):
        return []
    found = [document[key]] if key in document else []
    return found + nested_lookup(key, list(document.values()))


sys.modules.setdefault("nested_lookup", mock.Mock(nested_lookup=nested_lookup))

events, answers = queue.Queue(), queue.Queue()


class Lambda(BaseHTTPRequestHandler):
    """Lambda's Invoke for the suite, and its runtime API for the function: one event at a time."""

    protocol_version = "HTTP/1.1"
    turn = threading.Lock()

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        deadline, event = events.get()
        self.reply(
            200,
            event,
            Lambda_Runtime_Aws_Request_Id="1",
            Lambda_Runtime_Deadline_Ms=deadline,
            Lambda_Runtime_Invoked_Function_Arn="arn:aws:lambda:us-east-1:123456789012:function:TypeFunction",
        )

    def do_POST(self):
        body = self.body()
        if self.path.startswith("/2018-06-01/"):
            answers.put(body)
            self.reply(202)
            return
        self.reply(200, invoke(body))

    def log_message(self, *_):
        pass


def invoke(payload):
    with Lambda.turn:
        events.put((str(int((time.time() + 60) * 1000)), payload))
        return answers.get(timeout=90)


def main():
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    flags = argparse.ArgumentParser()
    flags.add_argument("--inputs")
    flags.add_argument("--config")
    flags.add_argument("program")
    args = flags.parse_args(sys.argv[1:at])

    server = ThreadingHTTPServer(("127.0.0.1", 0), Lambda)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = "127.0.0.1:%d" % server.server_port
    function = subprocess.Popen(
        [os.path.abspath(args.program)], env={**os.environ, "AWS_LAMBDA_RUNTIME_API": address}
    )
    try:
        described = json.loads(invoke(b'{"cfnresource": "describe"}'))
        schema = described["resourceTypes"][0]["schema"]
        sys.exit(run(schema, address, args, sys.argv[at + 1 :]))
    finally:
        function.kill()


def run(schema, address, args, more):
    import pytest
    from rpdk.core import test
    from rpdk.core.contract import resource_client
    from rpdk.core.contract.contract_plugin import ContractPlugin

    inputs = json.load(open(args.inputs)) if args.inputs else None
    # The suite demands credentials, and asks STS for the account and for further ones. Nothing is signed.
    os.environ.update(AWS_ACCESS_KEY_ID="none", AWS_SECRET_ACCESS_KEY="none")
    resource_client.get_account = lambda *_: "123456789012"
    resource_client.get_temporary_credentials = lambda *_: dict.fromkeys(
        ("accessKeyId", "secretAccessKey", "sessionToken"), "none"
    )
    client = resource_client.ResourceClient(
        "TypeFunction", "http://" + address, "us-east-1", schema, test.empty_override(), inputs,
        None, "240", schema["typeName"], typeconfig=args.config,
    )  # fmt: skip
    with test.temporary_ini_file() as ini:
        return pytest.main(
            ["-c", ini, "-m", test.get_marker_options(schema), *more],
            plugins=[ContractPlugin({"resource_client": client})],
        )


if __name__ == "__main__":
    main()
