#!/usr/bin/env python3
"""measure_http.py [QUEUE [HOW_MANY]]: a worker in Python over HTTP, with the standard library alone.

It takes calls from the queue and measures their words; after HOW_MANY calls it ends (0: never).

It shows the token in BATON_HOME/outside-token, which opens four doors and no others: claim, beat, stream, close.
MEASURE_SECONDS is how long a word takes it, for who wants to watch; BEAT_SECONDS how often it says that it lives.
"""
import json
import os
import pathlib
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

BEAT = float(os.environ.get("BEAT_SECONDS", "2"))  # a third of the server's lease, or less
PACE = float(os.environ.get("MEASURE_SECONDS", "0"))


class Refused(Exception):
    """A refusal (RFC 9457): a stable code, and what to do about it."""

    def __init__(self, problem):
        super().__init__(f"{problem['code']}: {problem['detail']}; {problem['hint']}")
        self.code = problem["code"]


class Unwanted(Exception):
    """The attempt is cancelled or stale: stop, and drop what was found."""


class Baton:
    """The four requests. Each names the attempt, which is the fence: a late one is told that it is stale."""

    def __init__(self, url, token):
        self.url, self.token = url, token

    def post(self, path, body, request_id=None, timeout=40):
        headers = {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"}
        if request_id:
            headers["Idempotency-Key"] = request_id
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.headers.get_content_type() == "application/problem+json":
                raise Refused(json.load(error)) from None
            raise

    def lasting(self, path, body, request_id):
        """Asks until an answer comes: the server may be away for a while. The same request id means the same request."""
        while True:
            try:
                return self.post(path, body, request_id)
            except Refused as refusal:
                if refusal.code not in ("server_full", "interrupted", "log_unreachable"):
                    raise
            except OSError:  # no connection, or none any more
                pass
            time.sleep(0.5)


class Attempt:
    """One attempt at a call. It lives in a thread of its own as long as the work goes on."""

    def __init__(self, baton, envelope):
        self.baton, self.envelope, self.number = baton, envelope, envelope["attempt"]
        names = (urllib.parse.quote(envelope[name], safe="") for name in ("session", "call_id"))
        self.path = "/v1/sessions/%s/calls/%s/" % tuple(names)
        self.over, self.unwanted = threading.Event(), None
        self.beats = threading.Thread(target=self.beat, daemon=True)

    def __enter__(self):
        self.beats.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.beats.join()

    def beat(self):
        while not self.over.wait(BEAT):
            try:
                answer = self.baton.post(self.path + "beat", {"attempt": self.number}, timeout=BEAT)["answer"]
            except (OSError, Refused):
                continue  # the next beat may get through; whether it was in time is for the server to say
            if answer != "go on":
                self.unwanted = answer
                return

    def say(self, text, data=None):
        """Tells how far it is, for `baton trace --follow`; who speaks is alive."""
        body = {"attempt": self.number, "text": text}
        if data is not None:
            body["data"] = data
        answer = self.unwanted or self.baton.lasting(self.path + "stream", body, None)["answer"]
        if answer != "go on":
            raise Unwanted(answer)

    def close(self, outputs):
        self.baton.lasting(self.path + "close", {"attempt": self.number, "status": "ok", "outputs": outputs}, str(uuid.uuid4()))


def measure(attempt):
    """The work itself."""
    lengths = []
    for word in attempt.envelope["context_in"]["words"].split():
        time.sleep(PACE)
        lengths.append(len(word))
        attempt.say("measured " + word, {"done": len(lengths)})
    return lengths


def serve(baton, queue, calls):
    taken, request_id = 0, str(uuid.uuid4())
    while calls == 0 or taken < calls:
        try:
            envelope = baton.lasting("/v1/claims", {"queue": queue, "wait": 20, "actor": "measure_http.py"}, request_id)
        except Refused as refusal:
            if refusal.code == "queue_empty":
                continue
            raise
        taken, request_id = taken + 1, str(uuid.uuid4())
        print(f"{envelope['call_id']}: attempt {envelope['attempt']}", flush=True)
        with Attempt(baton, envelope) as attempt:
            try:
                lengths = measure(attempt)
                attempt.close({"lengths": lengths})
                print(f"{envelope['call_id']}: {lengths}", flush=True)
            except (Unwanted, Refused) as late:  # another attempt counts
                print(f"attempt {attempt.number} of {envelope['call_id']} does not count: {late}", file=sys.stderr, flush=True)


def main():
    queue = sys.argv[1] if len(sys.argv) > 1 else "lengths"
    calls = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    home = pathlib.Path(os.environ.get("BATON_HOME") or pathlib.Path.home() / ".baton")
    url = os.environ.get("BATON_URL") or json.loads((home / "server.json").read_text())["http"]
    token = os.environ.get("BATON_OUTSIDE_TOKEN") or (home / "outside-token").read_text().strip()
    serve(Baton(url, token), queue, calls)


if __name__ == "__main__":
    main()
