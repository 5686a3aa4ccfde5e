"""A custom runtime in Python, with its standard library."""
import json
import os
import urllib.request

api = f"http://{os.environ['AWS_LAMBDA_RUNTIME_API']}/2018-06-01/runtime/invocation"
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
while True:
    with opener.open(f"{api}/next") as response:
        request_id = response.headers["Lambda-Runtime-Aws-Request-Id"]
        event = json.load(response)
    print("python has", json.dumps(event), flush=True)
    answer = json.dumps({"echo": event, "handler": os.environ["_HANDLER"]}).encode()
    opener.open(f"{api}/{request_id}/response", data=answer).close()
