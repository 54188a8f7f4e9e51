"""Every call of the API, with Python's standard library alone. SERVICE_URL and API_KEY say where and as whom."""

import json
import os
import time
import uuid
from http.client import HTTPException
from urllib import error, request

BASE = os.environ.get("SERVICE_URL", "http://127.0.0.1:8080")
KEY = os.environ["API_KEY"]
ATTEMPTS = 4


class Refused(Exception):
    """The service said no: `code` is a fixed word, or None where the answer has none, or is a page of a proxy's."""

    def __init__(self, status, answer):
        answer = answer or {"message": "no answer of the service's"}
        super().__init__(f"{status} {answer.get('code', '')}: {answer.get('message')}")
        self.status, self.code, self.details = status, answer.get("code"), answer.get("details")


def read(response):
    """The answer, or None where it is not the service's: a proxy on the way has error pages of its own."""
    try:
        answer = json.load(response)
        return answer if isinstance(answer, dict) else None
    except (OSError, HTTPException, ValueError):
        return None


def call(method, path, body=None, key=None):
    """Makes one call. Repeats it where nothing was sent, or where the idempotency key keeps it from sending twice."""
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    data = None if body is None else json.dumps(body).encode()
    safe = key is not None or method == "GET"
    for attempt in range(1, ATTEMPTS + 1):
        asked = request.Request(BASE + path, data=data, headers=headers, method=method)
        try:
            # A send waits for the network: be more patient than it is.
            with request.urlopen(asked, timeout=65) as response:
                status, after, answer = response.status, None, read(response)
        except error.HTTPError as response:
            status, after, answer = response.code, response.headers.get("Retry-After"), read(response)
        except (OSError, HTTPException):
            if attempt == ATTEMPTS or not safe:
                raise
            time.sleep(attempt)
            continue
        if answer is not None and status < 400:
            return answer
        refused = Refused(status, answer)
        if answer is None:
            again = safe and (status < 400 or status == 429 or status >= 500)
        else:
            again = status in (429, 503) or refused.code == "request_in_flight"
            again = again or (safe and status == 500 and attempt == 1)
        if attempt == ATTEMPTS or not again:
            raise refused
        time.sleep(int(after) if after and after.isdigit() else attempt)


def main():
    # Who am I?
    print(call("GET", "/v1/me"))

    # Which templates can be sent, and what does each need?
    print(call("GET", "/v1/templates?status=approved"))

    # A notice. The key is yours, kept beside the order: the same key never sends twice.
    notice = {"to": "07701234567", "template": "order_ready", "variables": ["سارة", "A-1042"], "reference": "order-1042"}
    sent = call("POST", "/v1/messages/template", notice, key=f"order-1042-{uuid.uuid4()}")

    # A one-time code.
    code = {"to": "07701234567", "template": "login_code", "code": "483920"}
    print(call("POST", "/v1/messages/template", code, key=f"login-{uuid.uuid4()}"))

    # What became of the notice: by its id, and by your own reference.
    print(call("GET", "/v1/messages/" + sent["id"]))
    print(call("GET", "/v1/messages?reference=order-1042"))

    # Contacts: add, rename, read, search.
    contact = call("POST", "/v1/contacts", {"phone": "0770 765 4321", "name": "Noor"})
    print(call("PATCH", "/v1/contacts/" + contact["id"], {"name": "Noor Ali"}))
    print(call("GET", "/v1/contacts/" + contact["id"]))
    print(call("GET", "/v1/contacts?search=Noor"))

    # A list page by page: `nextCursor` is None on the last one.
    conversations, cursor = [], ""
    while cursor is not None:
        page = call("GET", "/v1/conversations?limit=50" + (f"&cursor={cursor}" if cursor else ""))
        conversations += page["data"]
        cursor = page["nextCursor"]

    # One conversation, what was said in it, and an answer.
    conversation = conversations[0]["id"]
    print(call("GET", "/v1/conversations/" + conversation))
    print(call("GET", "/v1/conversations/" + conversation + "/messages"))
    reply = {"conversationId": conversation, "text": "Your order is ready."}
    print(call("POST", "/v1/messages", reply, key=f"reply-{uuid.uuid4()}"))


if __name__ == "__main__":
    main()
