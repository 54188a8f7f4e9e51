"""A system of your own in Python: the whole contract of docs/integrate/custom-system.md, with the standard library alone.

    SERVICE_SECRET=... python3 server.py

It listens on PORT (8460) and keeps what it is told in DATABASE (in memory where none is named). The goods, the customer
and the calendar are examples: put your own in their place, and keep the rest.
"""

import hmac
import json
import os
import re
import sqlite3
import sys
import threading
from datetime import date, datetime, time, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

SECRET = os.environ.get("SERVICE_SECRET") or sys.exit("SERVICE_SECRET is not set")
BASE = "/service"  # what is registered is https://your.host/service
SHOP = {"name": "متجر بايثون", "currency": "IQD", "capabilities": ["catalog", "orders", "customers", "appointments"]}
HERE = timezone(timedelta(hours=3))
SERVICES = ["تنصيب سبلت", "صيانة غسالة"]
HOURS = (10, 13, 16)

PRODUCTS = [
    {"id": "1", "title": "شاي الوزة أسود 450 غم", "price": 4500, "inStock": True, "compareAtPrice": 5000,
     "description": "شاي أسود خشن.", "categories": ["أغذية"]},
    {"id": "2", "title": "رز عنبر 5 كغم", "price": 12000, "inStock": True, "categories": ["أغذية"]},
    {"id": "3", "title": "حذاء رياضي أبيض", "price": 35000, "inStock": True, "categories": ["أحذية"], "variants": [
        {"id": "3-41", "title": "قياس 41", "price": 35000, "inStock": True, "options": {"القياس": "41"}},
        {"id": "3-42", "title": "قياس 42", "price": 35000, "inStock": True, "options": {"القياس": "42"}},
    ]},
]
STOCK = {"1": 40, "2": 25, "3-41": 3, "3-42": 0}

# The unique columns are what keeps one key from making two orders, and one slot from being booked twice.
TABLES = """
CREATE TABLE IF NOT EXISTS stock (id TEXT PRIMARY KEY, quantity INTEGER NOT NULL CHECK (quantity >= 0));
CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, key TEXT UNIQUE, status TEXT NOT NULL, phone TEXT NOT NULL,
    total INTEGER NOT NULL, placed_at TEXT NOT NULL, lines TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS customers (id INTEGER PRIMARY KEY, phone TEXT UNIQUE NOT NULL, name TEXT, points INTEGER);
CREATE TABLE IF NOT EXISTS appointments (id INTEGER PRIMARY KEY, key TEXT UNIQUE, slot TEXT UNIQUE NOT NULL);
"""

database = sqlite3.connect(os.environ.get("DATABASE", ":memory:"), isolation_level=None, check_same_thread=False)
database.row_factory = sqlite3.Row
database.executescript(TABLES)
database.executemany("INSERT OR IGNORE INTO stock VALUES (?, ?)", STOCK.items())
database.execute("INSERT OR IGNORE INTO customers VALUES (1, '+9647701234567', 'سارة', 340)")
database.execute("INSERT OR IGNORE INTO orders VALUES (5001, NULL, 'shipped', '+9647701234567', 12000, ?, ?)", (
    "2026-11-20T12:00:00+03:00", json.dumps([{"id": "2", "title": "رز عنبر 5 كغم", "quantity": 1, "price": 12000}])))
one_at_a_time = threading.Lock()


class Refused(Exception):
    """What cannot be done: a status, and a message for the team."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def first(statement, *values):
    return database.execute(statement, values).fetchone()


# The catalogue


def with_stock(item):
    """A product or variant with what is left of it."""
    shown = dict(item)
    if "variants" in item:
        shown["variants"] = [with_stock(variant) for variant in item["variants"]]
        shown["inStock"] = any(variant["inStock"] for variant in shown["variants"])
    else:
        shown["quantity"] = first("SELECT quantity FROM stock WHERE id = ?", item["id"])["quantity"]
        shown["inStock"] = shown["quantity"] > 0
    return shown


def verify(_query, _body):
    return 200, SHOP


def products(query, _body):
    words = query.get("q", "").casefold().split()
    category = query.get("category")
    found = [
        item for item in PRODUCTS
        if (not words or any(word in item["title"].casefold() for word in words))
        and (not category or category in item["categories"])
    ]
    limit = min(max(int(query.get("limit", 50)), 1), 50)
    return 200, {"products": [with_stock(item) for item in found[:limit]]}


def product(_query, _body, product_id):
    for item in PRODUCTS:
        if item["id"] == product_id:
            return 200, with_stock(item)
    raise Refused(404, "there is no such product")


def sold(variant_id):
    """Title and price of what an order may name: a variant, or a product that has none."""
    for item in PRODUCTS:
        for variant in item.get("variants", [item]):
            if variant["id"] == variant_id:
                title = item["title"] if variant is item else f"{item['title']} – {variant['title']}"
                return {"id": variant_id, "title": title, "price": variant["price"]}
    raise Refused(422, f"{variant_id} is not sold")


# Orders


def shown_order(row):
    lines = [{name: line[name] for name in ("title", "quantity", "price")} for line in json.loads(row["lines"])]
    return {"id": row["id"], "number": str(row["id"]), "status": row["status"], "total": row["total"],
            "customerPhone": row["phone"], "placedAt": row["placed_at"], "lines": lines}


def order_row(reference):
    row = first("SELECT * FROM orders WHERE CAST(id AS TEXT) = ?", reference.lstrip("#"))
    if row is None:
        raise Refused(404, "there is no such order")
    return row


def place_order(_query, body):
    key = body["idempotencyKey"]
    seen = first("SELECT * FROM orders WHERE key = ?", key)
    if seen:
        return 200, shown_order(seen)
    lines = [{**sold(str(line["variantId"])), "quantity": int(line["quantity"])} for line in body["lines"]]
    if not lines:
        raise Refused(422, "the order names nothing")
    for line in lines:
        taken = database.execute("UPDATE stock SET quantity = quantity - ? WHERE id = ? AND quantity >= ?",
                                 (line["quantity"], line["id"], line["quantity"]))
        if line["quantity"] < 1 or taken.rowcount == 0:
            raise Refused(409, f"{line['title']} is not there in that quantity")
    total = sum(line["price"] * line["quantity"] for line in lines)
    now = datetime.now(HERE).isoformat(timespec="seconds")
    made = database.execute(
        "INSERT INTO orders (key, status, phone, total, placed_at, lines) VALUES (?, 'pending', ?, ?, ?, ?)",
        (key, body["customer"]["phone"], total, now, json.dumps(lines)))
    return 201, shown_order(order_row(str(made.lastrowid)))


def order(_query, _body, reference):
    return 200, shown_order(order_row(reference))


def cancel_order(_query, _body, reference):
    row = order_row(reference)
    if row["status"] not in ("pending", "confirmed"):
        raise Refused(409, f"the order is {row['status']} and can no longer be cancelled")
    for line in json.loads(row["lines"]):
        database.execute("UPDATE stock SET quantity = quantity + ? WHERE id = ?", (line["quantity"], line["id"]))
    database.execute("UPDATE orders SET status = 'cancelled' WHERE id = ?", (row["id"],))
    return 200, shown_order(order_row(reference))


# Customers


def look_up(query, _body):
    row = first("SELECT * FROM customers WHERE phone = ?", query.get("phone"))
    if row is None:
        return 200, {"customer": None}
    return 200, {"customer": {"id": row["id"], "name": row["name"], "fields": {"نقاط الولاء": row["points"]}}}


def keep_lead(_query, body):
    database.execute(
        "INSERT INTO customers (phone, name) VALUES (?, ?) ON CONFLICT (phone) DO UPDATE SET name = excluded.name",
        (body["phone"], body["name"]))
    return 200, {"customer": {"id": first("SELECT id FROM customers WHERE phone = ?", body["phone"])["id"]}}


# Appointments


def day_of(text):
    return date.fromisoformat(text[:10]) if text else None


def slot(day, hour, service):
    starts = datetime.combine(day, time(hour), HERE)
    return {"id": f"{day}-{hour}-{service}", "startsAt": starts.isoformat(),
            "endsAt": (starts + timedelta(hours=1)).isoformat(), "service": SERVICES[service]}


def all_slots(begin, end):
    """Every slot from one day to the other, free or not, but on Fridays."""
    for ahead in range(max((end - begin).days, 0) + 1):
        day = begin + timedelta(days=ahead)
        if day.weekday() != 4:
            yield from (slot(day, hour, service) for hour in HOURS for service in range(len(SERVICES)))


def slots(query, _body):
    now = datetime.now(HERE)
    begin = max(day_of(query.get("from")) or now.date(), now.date())
    end = min(day_of(query.get("to")) or now.date() + timedelta(days=14), now.date() + timedelta(days=60))
    taken = {row["slot"] for row in database.execute("SELECT slot FROM appointments")}
    free = [
        found for found in all_slots(begin, end)
        if found["id"] not in taken and datetime.fromisoformat(found["startsAt"]) > now
        and query.get("service", found["service"]) == found["service"]
    ]
    return 200, {"services": SERVICES, "slots": free[:30]}


def book(_query, body):
    seen = first("SELECT * FROM appointments WHERE key = ?", body["idempotencyKey"])
    slot_id = seen["slot"] if seen else str(body["slotId"])
    day = day_of(slot_id) if re.match(r"\d{4}-\d\d-\d\d-", slot_id) else None
    wanted = next((found for found in all_slots(day, day) if found["id"] == slot_id), None) if day else None
    if wanted is None:
        raise Refused(422, "there is no such slot")
    status = 200
    if not seen:
        if first("SELECT 1 FROM appointments WHERE slot = ?", slot_id):
            raise Refused(409, "the slot was taken in the meantime")
        database.execute("INSERT INTO appointments (key, slot) VALUES (?, ?)", (body["idempotencyKey"], slot_id))
        seen, status = first("SELECT * FROM appointments WHERE slot = ?", slot_id), 201
    return status, {"appointment": {**wanted, "id": f"apt_{seen['id']}", "status": "confirmed"}}


# The wire

ROUTES = [
    ("GET", "/verify", verify),
    ("GET", "/products", products),
    ("GET", "/products/([^/]+)", product),
    ("POST", "/orders", place_order),
    ("GET", "/orders/([^/]+)", order),
    ("POST", "/orders/([^/]+)/cancel", cancel_order),
    ("GET", "/customers/lookup", look_up),
    ("POST", "/customers", keep_lead),
    ("GET", "/appointments/slots", slots),
    ("POST", "/appointments", book),
]


def answer(method, target, secret, raw):
    path, query = urlsplit(target).path, dict(parse_qsl(urlsplit(target).query))
    for wanted, pattern, handler in ROUTES:
        match = re.fullmatch(BASE + pattern, path)
        if match and method == wanted:
            break
    else:
        return 404, {"message": "there is no such route"}
    if not hmac.compare_digest(secret.encode(), f"Bearer {SECRET}".encode()):
        return 401, {"message": "the secret is wrong"}
    # One at a time, and all or nothing: a key that comes twice at once finds what the first one made.
    with one_at_a_time:
        try:
            with database:
                database.execute("BEGIN IMMEDIATE")
                return handler(query, json.loads(raw) if raw else {}, *map(unquote, match.groups()))
        except Refused as refused:
            return refused.status, {"message": str(refused)}
        except (KeyError, TypeError, ValueError, AttributeError, sqlite3.IntegrityError):
            return 422, {"message": "the request lacks something, or has it in another form"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def serve(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, said = answer(self.command, self.path, self.headers.get("Authorization", ""), raw)
        body = json.dumps(said, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = serve

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 8460))), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}{BASE}", flush=True)
    server.serve_forever()
