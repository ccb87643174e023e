#!/usr/bin/env python3
"""measure.py [QUEUE [HOW_MANY]]: a worker in Python, by NATS requests, with the standard library alone.

It takes calls from the queue and measures their words; after HOW_MANY calls it ends (0: never).

It needs no right but to ask: on the embedded server it shows the token in BATON_HOME/outside-token, with which
nothing can be reached but the four requests call.claim, call.beat, call.stream and call.close. With the nats-py
package, Connection below is `await nats.connect(url, token=...)` and `await nc.request(...)`.
"""
import json
import os
import pathlib
import socket
import sys
import threading
import urllib.parse
import uuid


class Refused(Exception):
    """A refusal: a stable code, and what to do about it."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}; {error['hint']}")
        self.code = error["code"]


class Connection:
    """As much of NATS as requests need: one connection, one request at a time."""

    def __init__(self, url, token):
        at = urllib.parse.urlparse(url)
        self.lock = threading.Lock()
        self.sock = socket.create_connection((at.hostname, at.port or 4222), timeout=60)
        self.lines = self.sock.makefile("rb")
        self.lines.readline()  # INFO
        hello = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True, "auth_token": token,
                 "name": "measure.py", "lang": "python", "version": "1", "protocol": 1}
        self.inbox = "_INBOX." + uuid.uuid4().hex
        self.send(f"CONNECT {json.dumps(hello)}\r\nSUB {self.inbox} 1\r\n".encode())

    def send(self, data):
        self.sock.sendall(data)

    def request(self, subject, body):
        """Asks, and gives the answer; raises Refused."""
        with self.lock:
            raw = json.dumps(body).encode()
            self.send(b"PUB %s %s %d\r\n%s\r\n" % (subject.encode(), self.inbox.encode(), len(raw), raw))
            answer, part, parts = b"", 0, 1
            while part < parts:  # a large answer comes in parts
                header, data = self.message()
                answer, part, parts = answer + data, part + 1, int(header.get("Baton-Parts", "1"))
        if header.get("Status") == "503":
            raise ConnectionError("nobody serves " + subject)
        answer = json.loads(answer)
        if "Nats-Service-Error-Code" in header:
            raise Refused(answer["error"])
        return answer

    def message(self):
        """The next message's headers and data."""
        while True:
            line = self.lines.readline()
            if not line:
                raise ConnectionError("the server closed the connection")
            words = line.split()
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
            elif words[0] == b"-ERR":
                raise ConnectionError(line.decode().strip())
            elif words[0] == b"MSG":
                return {}, self.lines.read(int(words[-1]) + 2)[:-2]
            elif words[0] == b"HMSG":
                head, whole = int(words[-2]), int(words[-1])
                raw = self.lines.read(whole + 2)[:-2]
                first, *rest = raw[:head].decode().split("\r\n")
                header = dict(line.split(":", 1) for line in rest if ":" in line)
                header = {name: value.strip() for name, value in header.items()}
                if len(first.split()) > 1:
                    header["Status"] = first.split()[1]
                return header, raw[head:]


class Unwanted(Exception):
    """The attempt is cancelled or stale: stop, and drop what was found."""


def measure(nc, mine, words):
    """The work itself. What is said on the way is seen by `baton trace --follow`, and keeps the call alive."""
    lengths = []
    for word in words.split():
        lengths.append(len(word))
        said = nc.request("call.stream", {**mine, "text": "measured " + word, "data": {"done": len(lengths)}})
        if said["answer"] != "go on":
            raise Unwanted(said["answer"])
    return lengths


def beating(nc, mine, every, done):
    """Keeps the call alive while something long goes on beside it."""
    while not done.wait(every):
        if nc.request("call.beat", mine)["answer"] != "go on":
            return


def serve(nc, queue, calls):
    taken = 0
    while calls == 0 or taken < calls:
        # Asking again under the same request id gives the same call, should the answer have been lost.
        ask = {"queue": queue, "wait": 20, "actor": "measure.py", "request_id": f"measure-{uuid.uuid4()}"}
        try:
            envelope = nc.request("call.claim", ask)
        except Refused as refusal:
            if refusal.code == "queue_empty":
                continue
            raise
        taken += 1
        mine = {"session": envelope["session"], "call": envelope["call_id"], "attempt": envelope["attempt"]}
        done = threading.Event()
        beats = threading.Thread(target=beating, args=(nc, mine, 2, done), daemon=True)
        beats.start()
        try:
            lengths = measure(nc, mine, envelope["context_in"]["words"])
            nc.request("call.close", {**mine, "status": "ok", "outputs": {"lengths": lengths}, "actor": "measure.py"})
            print(f"{envelope['call_id']}: {lengths}")
        except (Unwanted, Refused) as late:  # another attempt counts
            print(f"attempt {mine['attempt']} of {envelope['call_id']} does not count: {late}", file=sys.stderr)
        finally:
            done.set()
            beats.join()


def main():
    queue = sys.argv[1] if len(sys.argv) > 1 else "lengths"
    calls = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    home = pathlib.Path(os.environ.get("BATON_HOME") or pathlib.Path.home() / ".baton")
    url = os.environ.get("BATON_NATS_URL") or json.loads((home / "server.json").read_text())["url"]
    token = os.environ.get("BATON_OUTSIDE_TOKEN") or (home / "outside-token").read_text().strip()
    serve(Connection(url, token), queue, calls)


if __name__ == "__main__":
    main()
