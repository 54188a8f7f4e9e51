import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
TOLERANCE = 300  # seconds
seen = set()


def verified(header, raw):
    parts = [part.strip().split("=", 1) for part in header.split(",") if "=" in part]
    times = [value for name, value in parts if name == "t"]
    if len(times) != 1 or not re.fullmatch("[0-9]{1,12}", times[0]):
        return False
    expected = hmac.new(SECRET, times[0].encode() + b"." + raw, hashlib.sha256).hexdigest()
    given = [value for name, value in parts if name == "v1"]
    if not any(hmac.compare_digest(expected.encode(), v1.encode()) for v1 in given):
        return False
    return abs(time.time() - int(times[0])) <= TOLERANCE


def parsed(raw):
    try:
        event = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("id"), str) else None


class Receiver(BaseHTTPRequestHandler):
    timeout = 30  # seconds without a byte

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass  # the connection was cut: the delivery comes again

    def do_POST(self):
        length = self.headers.get("Content-Length", "0")
        if not re.fullmatch("[0-9]{1,7}", length):
            return self.answer(400)
        raw = self.rfile.read(int(length))
        if not verified(self.headers.get("X-Service-Signature", ""), raw):
            return self.answer(401)
        event = parsed(raw)
        if event is None:
            return self.answer(400)
        known = event["id"] in seen
        seen.add(event["id"])
        self.answer(204)
        if not known:
            print(event.get("type"), event["id"], flush=True)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
print("listening on", server.server_port, flush=True)
server.serve_forever()
