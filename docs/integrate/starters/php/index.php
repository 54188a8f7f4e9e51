<?php
// A system of your own in PHP: the whole contract of docs/integrate/custom-system.md in one file, with PDO and SQLite.
//
//     SERVICE_SECRET=... php -S 127.0.0.1:8460 index.php
//
// Behind Apache, send everything below /service here, and let the Authorization header through:
//
//     RewriteEngine On
//     RewriteRule ^service/ index.php [L,E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
//
// What it is told it keeps in DATABASE (service.sqlite beside the system's temporary files where none is named). The
// goods, the customer and the calendar are examples: put your own in their place, and keep the rest.

declare(strict_types=1);

const BASE = '/service'; // what is registered is https://your.host/service
const SERVICES = ['تنصيب سبلت', 'صيانة غسالة'];
const HOURS = ['10', '13', '16'];
const PRODUCTS = [
    ['id' => '1', 'title' => 'شاي الوزة أسود 450 غم', 'price' => 4500, 'compareAtPrice' => 5000, 'categories' => ['أغذية']],
    ['id' => '2', 'title' => 'رز عنبر 5 كغم', 'price' => 12000, 'categories' => ['أغذية']],
    ['id' => '3', 'title' => 'حذاء رياضي أبيض', 'price' => 35000, 'categories' => ['أحذية'], 'variants' => [
        ['id' => '3-41', 'title' => 'قياس 41', 'price' => 35000, 'options' => ['القياس' => '41']],
        ['id' => '3-42', 'title' => 'قياس 42', 'price' => 35000, 'options' => ['القياس' => '42']],
    ]],
];
const STOCK = ['1' => 40, '2' => 25, '3-41' => 3, '3-42' => 0];
// The unique columns are what keeps one key from making two orders, and one slot from being booked twice.
const TABLES = <<<SQL
    CREATE TABLE IF NOT EXISTS stock (id TEXT PRIMARY KEY, quantity INTEGER NOT NULL CHECK (quantity >= 0));
    CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, key TEXT UNIQUE, status TEXT NOT NULL,
        phone TEXT NOT NULL, total INTEGER NOT NULL, placed_at TEXT NOT NULL, lines TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS customers (id INTEGER PRIMARY KEY, phone TEXT UNIQUE NOT NULL, name TEXT, points INTEGER);
    CREATE TABLE IF NOT EXISTS appointments (id INTEGER PRIMARY KEY, key TEXT UNIQUE, slot TEXT UNIQUE NOT NULL);
    SQL;

date_default_timezone_set('Asia/Baghdad');

/** What cannot be done: a status, and a message for the team. */
final class Refused extends Exception
{
}

function database(): PDO
{
    static $database = null;
    if ($database === null) {
        $database = new PDO('sqlite:' . (getenv('DATABASE') ?: sys_get_temp_dir() . '/service.sqlite'));
        $database->setAttribute(PDO::ATTR_DEFAULT_FETCH_MODE, PDO::FETCH_ASSOC);
        $database->setAttribute(PDO::ATTR_TIMEOUT, 8);
        $database->exec('BEGIN IMMEDIATE');
        $database->exec(TABLES);
        foreach (STOCK as $id => $quantity) {
            $database->prepare('INSERT OR IGNORE INTO stock VALUES (?, ?)')->execute([(string) $id, $quantity]);
        }
        $database->exec("INSERT OR IGNORE INTO customers VALUES (1, '+9647701234567', 'سارة', 340)");
        $lines = json_encode([['id' => '2', 'title' => 'رز عنبر 5 كغم', 'quantity' => 1, 'price' => 12000]]);
        $database->prepare("INSERT OR IGNORE INTO orders VALUES (5001, NULL, 'shipped', '+9647701234567', 12000, ?, ?)")
            ->execute(['2026-11-20T12:00:00+03:00', $lines]);
        $database->exec('COMMIT');
    }
    return $database;
}

function run(string $statement, mixed ...$values): PDOStatement
{
    $prepared = database()->prepare($statement);
    $prepared->execute($values);
    return $prepared;
}

function first(string $statement, mixed ...$values): ?array
{
    return run($statement, ...$values)->fetch() ?: null;
}

/** A text or a number of the request, as text. */
function text(mixed $value): string
{
    if (!is_string($value) && !is_int($value)) {
        throw new Refused('the request lacks something, or has it in another form', 422);
    }
    return (string) $value;
}

// The catalogue

/** A product or variant with what is left of it. */
function with_stock(array $item): array
{
    if (isset($item['variants'])) {
        $item['variants'] = array_map('with_stock', $item['variants']);
        $item['inStock'] = in_array(true, array_column($item['variants'], 'inStock'), true);
        return $item;
    }
    $item['quantity'] = (int) first('SELECT quantity FROM stock WHERE id = ?', $item['id'])['quantity'];
    $item['inStock'] = $item['quantity'] > 0;
    return $item;
}

function products(array $query): array
{
    $words = preg_split('/\s+/u', mb_strtolower(text($query['q'] ?? '')), -1, PREG_SPLIT_NO_EMPTY);
    $category = $query['category'] ?? '';
    $fits = function (array $item) use ($words, $category): bool {
        $title = mb_strtolower($item['title']);
        $named = array_filter($words, fn (string $word): bool => str_contains($title, $word));
        return (!$words || $named) && ($category === '' || in_array($category, $item['categories'], true));
    };
    $limit = min(max((int) ($query['limit'] ?? 50), 1), 50);
    $found = array_slice(array_values(array_filter(PRODUCTS, $fits)), 0, $limit);
    return ['products' => array_map('with_stock', $found)];
}

function product(string $id): array
{
    foreach (PRODUCTS as $item) {
        if ($item['id'] === $id) {
            return with_stock($item);
        }
    }
    throw new Refused('there is no such product', 404);
}

/** Title and price of what an order may name: a variant, or a product that has none. */
function sold(string $id): array
{
    foreach (PRODUCTS as $item) {
        foreach ($item['variants'] ?? [$item] as $variant) {
            if ($variant['id'] === $id) {
                $title = isset($item['variants']) ? "{$item['title']} – {$variant['title']}" : $item['title'];
                return ['id' => $id, 'title' => $title, 'price' => $variant['price']];
            }
        }
    }
    throw new Refused("$id is not sold", 422);
}

// Orders

function shown_order(array $row): array
{
    $shown = fn (array $line): array => array_diff_key($line, ['id' => true]);
    return [
        'id' => (int) $row['id'], 'number' => (string) $row['id'], 'status' => $row['status'],
        'total' => (int) $row['total'], 'customerPhone' => $row['phone'], 'placedAt' => $row['placed_at'],
        'lines' => array_map($shown, json_decode($row['lines'], true)),
    ];
}

function order_row(string $reference): array
{
    $row = first('SELECT * FROM orders WHERE CAST(id AS TEXT) = ?', ltrim($reference, '#'));
    return $row ?? throw new Refused('there is no such order', 404);
}

function place_order(array $body): array
{
    $key = text($body['idempotencyKey'] ?? null);
    if ($seen = first('SELECT * FROM orders WHERE key = ?', $key)) {
        return [200, shown_order($seen)];
    }
    $phone = text($body['customer']['phone'] ?? null);
    $lines = [];
    foreach ($body['lines'] ?? [] as $line) {
        $item = sold(text($line['variantId'] ?? null));
        $quantity = (int) ($line['quantity'] ?? 0);
        $taken = run('UPDATE stock SET quantity = quantity - ? WHERE id = ? AND quantity >= ?', $quantity, $item['id'], $quantity);
        if ($quantity < 1 || $taken->rowCount() === 0) {
            throw new Refused("{$item['title']} is not there in that quantity", 409);
        }
        $lines[] = $item + ['quantity' => $quantity];
    }
    if (!$lines) {
        throw new Refused('the order names nothing', 422);
    }
    $total = array_sum(array_map(fn (array $line): int => $line['price'] * $line['quantity'], $lines));
    run("INSERT INTO orders (key, status, phone, total, placed_at, lines) VALUES (?, 'pending', ?, ?, ?, ?)",
        $key, $phone, $total, date('c'), json_encode($lines));
    return [201, shown_order(order_row(database()->lastInsertId()))];
}

function cancel_order(string $reference): array
{
    $row = order_row($reference);
    if (!in_array($row['status'], ['pending', 'confirmed'], true)) {
        throw new Refused("the order is {$row['status']} and can no longer be cancelled", 409);
    }
    foreach (json_decode($row['lines'], true) as $line) {
        run('UPDATE stock SET quantity = quantity + ? WHERE id = ?', $line['quantity'], $line['id']);
    }
    run("UPDATE orders SET status = 'cancelled' WHERE id = ?", $row['id']);
    return shown_order(order_row($reference));
}

// Customers

function look_up(array $query): array
{
    $row = first('SELECT * FROM customers WHERE phone = ?', text($query['phone'] ?? null));
    $fields = fn (array $row): array => ['نقاط الولاء' => $row['points'] === null ? null : (int) $row['points']];
    return ['customer' => $row ? ['id' => (int) $row['id'], 'name' => $row['name'], 'fields' => $fields($row)] : null];
}

function keep_lead(array $body): array
{
    $phone = text($body['phone'] ?? null);
    run('INSERT INTO customers (phone, name) VALUES (?, ?) ON CONFLICT (phone) DO UPDATE SET name = excluded.name',
        $phone, text($body['name'] ?? ''));
    return ['customer' => ['id' => (int) first('SELECT id FROM customers WHERE phone = ?', $phone)['id']]];
}

// Appointments

function slot(string $day, string $hour, int $service): array
{
    $starts = new DateTimeImmutable("$day $hour:00");
    return [
        'id' => "$day-$hour-$service", 'startsAt' => $starts->format('c'),
        'endsAt' => $starts->modify('+1 hour')->format('c'), 'service' => SERVICES[$service],
    ];
}

/** Every slot of the next 60 days, free or not, but on Fridays. */
function all_slots(): Generator
{
    for ($ahead = 0; $ahead < 60; $ahead++) {
        $day = new DateTimeImmutable("today +$ahead days");
        foreach ($day->format('N') === '5' ? [] : HOURS as $hour) {
            foreach (array_keys(SERVICES) as $service) {
                yield slot($day->format('Y-m-d'), $hour, $service);
            }
        }
    }
}

function slots(array $query): array
{
    $from = substr(text($query['from'] ?? date('Y-m-d')), 0, 10);
    $to = substr(text($query['to'] ?? '9999'), 0, 10);
    $service = $query['service'] ?? null;
    $taken = run('SELECT slot FROM appointments')->fetchAll(PDO::FETCH_COLUMN);
    $free = [];
    foreach (all_slots() as $slot) {
        $day = substr($slot['startsAt'], 0, 10);
        $asked = $from <= $day && $day <= $to && ($service ?? $slot['service']) === $slot['service'];
        if ($asked && strtotime($slot['startsAt']) > time() && !in_array($slot['id'], $taken, true)) {
            $free[] = $slot;
        }
    }
    return ['services' => SERVICES, 'slots' => array_slice($free, 0, 30)];
}

function book(array $body): array
{
    $key = text($body['idempotencyKey'] ?? null);
    $seen = first('SELECT * FROM appointments WHERE key = ?', $key);
    $id = $seen ? $seen['slot'] : text($body['slotId'] ?? null);
    $known = array_values(array_filter(iterator_to_array(all_slots(), false), fn (array $slot): bool => $slot['id'] === $id));
    if (!$known) {
        throw new Refused('there is no such slot', 422);
    }
    if (!$seen) {
        if (first('SELECT 1 FROM appointments WHERE slot = ?', $id)) {
            throw new Refused('the slot was taken in the meantime', 409);
        }
        run('INSERT INTO appointments (key, slot) VALUES (?, ?)', $key, $id);
    }
    $made = first('SELECT * FROM appointments WHERE key = ?', $key);
    return [$seen ? 200 : 201, ['appointment' => ['id' => "apt_{$made['id']}", 'status' => 'confirmed'] + $known[0]]];
}

// The wire

/** What answers a method and a path below the base; null where nothing does. */
function route(string $method, string $path, array $query, array $body): ?callable
{
    $parts = array_map('rawurldecode', explode('/', $path));
    $reference = $parts[1] ?? '';
    $named = count($parts) === 2 && $reference !== '';
    return match (true) {
        "$method $path" === 'GET verify' => fn () => [200, [
            'name' => 'متجر بي إتش بي', 'currency' => 'IQD',
            'capabilities' => ['catalog', 'orders', 'customers', 'appointments'],
        ]],
        "$method $path" === 'GET products' => fn () => [200, products($query)],
        "$method $path" === 'POST orders' => fn () => place_order($body),
        "$method $path" === 'GET customers/lookup' => fn () => [200, look_up($query)],
        "$method $path" === 'POST customers' => fn () => [200, keep_lead($body)],
        "$method $path" === 'GET appointments/slots' => fn () => [200, slots($query)],
        "$method $path" === 'POST appointments' => fn () => book($body),
        $named && "$method $parts[0]" === 'GET products' => fn () => [200, product($reference)],
        $named && "$method $parts[0]" === 'GET orders' => fn () => [200, shown_order(order_row($reference))],
        count($parts) === 3 && "$method $parts[0] $parts[2]" === 'POST orders cancel' => fn () => [200, cancel_order($reference)],
        default => null,
    };
}

function answer(): array
{
    $path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    $body = json_decode((string) file_get_contents('php://input'), true);
    $below = str_starts_with($path, BASE . '/') ? substr($path, strlen(BASE) + 1) : '';
    $route = route($_SERVER['REQUEST_METHOD'], $below, $_GET, is_array($body) ? $body : []);
    if (!$route) {
        return [404, ['message' => 'there is no such route']];
    }
    $secret = (string) getenv('SERVICE_SECRET');
    $given = $_SERVER['HTTP_AUTHORIZATION'] ?? $_SERVER['REDIRECT_HTTP_AUTHORIZATION'] ?? '';
    if ($secret === '' || !hash_equals("Bearer $secret", $given)) {
        return [401, ['message' => 'the secret is wrong']];
    }
    // One at a time, and all or nothing: a key that comes twice at once finds what the first one made.
    database()->exec('BEGIN IMMEDIATE');
    try {
        $answer = $route();
        database()->exec('COMMIT');
        return $answer;
    } catch (Refused $refused) {
        database()->exec('ROLLBACK');
        return [$refused->getCode(), ['message' => $refused->getMessage()]];
    }
}

ini_set('display_errors', '0'); // a warning in the body would be no JSON
[$status, $said] = answer();
http_response_code($status);
header('Content-Type: application/json');
echo json_encode($said, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
