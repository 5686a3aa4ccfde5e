package blackbox

import "time"

func s3Cases() []testCase {
	const legacy = "https://cloudformation-custom-resource-response-uswest2.s3.us-west-2.amazonaws.com"
	internal, unavailable := s3Fails(500, "InternalError"), s3Fails(503, "ServiceUnavailable")
	var cases []testCase
	// With each of S3's faults the handler is called once, and the answer is the same.
	ok := func(name string, attempts int, faults ...fault) {
		cases = append(cases, testCase{name: "S3 " + name, steps: []step{
			{event: create("", "Made", "true"), faults: faults, status: "SUCCESS", id: "stable", calls: "Create", attempts: attempts},
		}})
	}
	ok("fails with 500", 1, internal)
	ok("fails with 503 four times", 1, times(4, unavailable)...)
	ok("fails with 502, 504 and 500", 1, s3Fails(502, "BadGateway"), s3Fails(504, "GatewayTimeout"), internal)
	ok("slows down with 503 twice", 1, times(2, slowDown)...)
	ok("throttles with 429 twice", 1, times(2, s3Fails(429, "TooManyRequests"))...)
	ok("gives up waiting with 408", 1, s3Fails(408, "RequestTimeout"))
	ok("refuses with 403 once: the next delivery is answered from memory", 2, s3Fails(403, "AccessDenied"))
	ok("refuses with 403 twice", 3, times(2, s3Fails(403, "AccessDenied"))...)
	ok("refuses with 404 once", 2, s3Fails(404, "NoSuchBucket"))
	ok("refuses with 400 once", 2, s3Fails(400, "InvalidRequest"))
	ok("gives up waiting with 400", 1, s3Fails(400, "RequestTimeout"))
	ok("resets the connection", 1, resets)
	ok("resets the connection three times", 1, times(3, resets)...)
	ok("hangs", 1, hangs)
	ok("stores and hangs", 1, storesAndHangs)
	ok("loses the acknowledgement", 1, losesAnswer)
	ok("loses the acknowledgement twice", 1, times(2, losesAnswer)...)
	ok("closes without an answer", 1, closesAfter("", false))
	ok("truncates its status line", 1, closesAfter("HTTP/1.1 2", true))
	ok("truncates its headers", 1, closesAfter("HTTP/1.1 200 OK\r\nETag: \"9b", true))
	ok("truncates its body", 1, closesAfter("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<Res", true))
	ok("answers something that is not HTTP", 1, closesAfter("SSH-2.0-OpenSSH_9.2\r\n", false))
	ok("has every trouble in turn", 1, internal, resets, losesAnswer, slowDown)

	// Signature version 2 covers the bucket but not the host, so that S3 can redirect.
	v2 := func(e event) event { e.v2 = true; return e }
	redirect := func(name string, attempts int, faults ...fault) {
		cases = append(cases, testCase{name: "S3 redirects " + name, steps: []step{
			{event: v2(create("")), faults: faults, status: "SUCCESS", id: "stable", calls: "Create", attempts: attempts},
		}})
	}
	redirect("with 307 to the bucket's other host", 1, redirects(legacy))
	redirect("with 307 to a host that is not the bucket's", 2, redirects("https://evil.example.com"))
	redirect("with 307 to the other host, and from there to a stranger", 2, redirects(legacy), redirects("https://evil.example.com"))
	redirect("with 307 to plain HTTP", 2, redirects("http"+legacy[len("https"):]))
	redirect("with 307 in a circle", 2, times(5, redirects(legacy))...)

	way := func(name string, connects ...fault) {
		cases = append(cases, testCase{name: "the way to S3 " + name, steps: []step{
			{event: create(""), connects: connects, status: "SUCCESS", id: "stable", calls: "Create"},
		}})
	}
	way("is refused at first", badGateway)
	way("is refused three times", times(3, badGateway)...)
	way("breaks at first", connectResets)
	way("hangs at first", connectHangs)
	way("speaks no TLS at first", noTLS)

	cases = append(cases,
		testCase{name: "the network is slow", latency: 120 * time.Millisecond, steps: []step{
			{event: create(""), status: "SUCCESS", id: "stable", calls: "Create"},
			{event: update("$1", "error-6kB"), status: "FAILED", id: "event", calls: "Update"},
		}},
		testCase{name: "the network is down for a whole invocation: answered from memory", steps: []step{
			{event: create("", "Made", "true"), attemptsOffline: 1, status: "SUCCESS", id: "stable", calls: "Create", attempts: 2},
		}},
		testCase{name: "the network is down for a whole invocation, and the next is another process's", newProcess: true, steps: []step{
			{event: create(""), attemptsOffline: 1, status: "SUCCESS", id: "stable", calls: "Create Create", attempts: 2},
		}, thingsLeft: "1"},
		testCase{name: "S3 gives no answer for a whole invocation: answered from memory", steps: []step{
			{event: create("", "Made", "true"), attemptsWithoutS3: 1, status: "SUCCESS", id: "stable", calls: "Create", attempts: 2},
		}},
		testCase{name: "the network is down for a whole invocation with an Update", steps: []step{
			{event: update(oldID, ""), attemptsOffline: 1, status: "SUCCESS", id: "event", calls: "Update", attempts: 2},
		}},
		testCase{name: "the network is down for a whole invocation with a Delete", steps: []step{
			{event: remove(oldID, ""), attemptsOffline: 1, status: "SUCCESS", id: "event", calls: "Delete", attempts: 2},
		}},
		testCase{name: "the network is down for a whole invocation that failed", steps: []step{
			{event: create("error", "Made", "true"), attemptsOffline: 1, status: "FAILED", id: "stable", calls: "Create", attempts: 2},
		}},
		testCase{name: "the network is down in all three attempts: the destination answers, the rollback cleans up", steps: []step{
			{event: create(""), attemptsOffline: 3, status: "FAILED", id: "stable", calls: "Create", attempts: 3, answeredByDestination: true},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}, thingsLeft: "0"},
		testCase{name: "S3 fails with 503 twice on Update", steps: []step{
			{event: update(oldID, ""), faults: times(2, unavailable), status: "SUCCESS", id: "event", calls: "Update"},
		}},
		testCase{name: "S3 loses the acknowledgement of a failure", steps: []step{
			{event: create("panic"), faults: times(1, losesAnswer), status: "FAILED", id: "stable", calls: "Create"},
		}},
		testCase{name: "S3 resets on Delete", steps: []step{
			{event: remove(oldID, ""), faults: times(1, resets), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		testCase{name: "S3 fails once after the handler took all the time", steps: []step{
			{event: create("deadlock"), faults: times(1, unavailable), status: "FAILED", id: "stable", calls: "Create", attempts: -1},
		}},
		testCase{name: "S3 hangs for the rest of the invocation", steps: []step{
			{event: create("", "Made", "true"), faults: times(1, hangs), status: "SUCCESS", id: "stable", calls: "Create", attempts: -1},
		}},
	)
	return cases
}
