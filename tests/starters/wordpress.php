<?php
// As much of WordPress and WooCommerce as the plugin of docs/integrate/starters/woocommerce calls, over one file of JSON (STATE):
// `php -S 127.0.0.1:0 wordpress.php` with PLUGIN naming the plugin. Nothing here is how they do it, only what they answer.

declare(strict_types=1);

const ABSPATH = '/';
define('MESSAGING_SERVICE_SECRET', getenv('SERVICE_SECRET'));

/** Reads the state, lets it be changed, and writes it, while nobody else does. */
function state(?callable $change = null): array
{
    $file = fopen(getenv('STATE'), 'c+');
    flock($file, LOCK_EX);
    $state = json_decode(stream_get_contents($file) ?: '', true) ?? [
        'options' => [], 'users' => ['1' => ['name' => 'سارة', 'meta' => ['billing_phone' => '07701234567']]],
        'stock' => ['11' => 40, '12' => 25, '21' => 3, '22' => 0],
        'orders' => ['5001' => ['status' => 'completed', 'billing' => ['phone' => '07701234567'], 'lines' => [], 'meta' => []]],
    ];
    if ($change) {
        $change($state);
        ftruncate($file, 0);
        rewind($file);
        fwrite($file, json_encode($state));
    }
    fclose($file);
    return $state;
}

class WP_REST_Request implements ArrayAccess
{
    public function __construct(private array $values, private string $raw)
    {
    }

    public function get_header(string $name): ?string
    {
        return $_SERVER['HTTP_' . strtoupper($name)] ?? null;
    }

    public function get_json_params(): ?array
    {
        return json_decode($this->raw, true);
    }

    public function offsetExists(mixed $name): bool
    {
        return isset($this->values[$name]);
    }

    public function offsetGet(mixed $name): mixed
    {
        return $this->values[$name] ?? null;
    }

    public function offsetSet(mixed $name, mixed $value): void
    {
    }

    public function offsetUnset(mixed $name): void
    {
    }
}

class WP_REST_Response
{
    public function __construct(public mixed $data, public int $status = 200)
    {
    }
}

class WP_Error
{
    public function __construct(public string $code, public string $message, public array $data = [])
    {
    }

    public function get_error_message(): string
    {
        return $this->message;
    }
}

class WP_User
{
    public function __construct(public int $ID, public string $display_name)
    {
    }
}

class WC_Customer
{
    public function __construct(int $id)
    {
    }

    public function get_order_count(): int
    {
        return count(state()['orders']);
    }

    public function get_total_spent(): string
    {
        return '12000.00';
    }
}

class WC_Product
{
    private const GOODS = [
        11 => ['شاي الوزة أسود 450 غم', '4500', '5000', 0],
        12 => ['رز عنبر 5 كغم', '12000', '12000', 0],
        20 => ['حذاء رياضي أبيض', '35000', '35000', 0],
        21 => ['حذاء رياضي أبيض - 41', '35000', '35000', 20],
        22 => ['حذاء رياضي أبيض - 42', '35000', '35000', 20],
    ];

    private function __construct(private int $id)
    {
    }

    public static function find(int $id): ?self
    {
        return isset(self::GOODS[$id]) ? new self($id) : null;
    }

    public static function parents(): array
    {
        return array_map(fn (int $id) => new self($id), array_keys(array_filter(self::GOODS, fn ($it) => $it[3] === 0)));
    }

    private function stock(): ?int
    {
        return state()['stock'][(string) $this->id] ?? null;
    }

    public function get_id(): int { return $this->id; }
    public function get_status(): string { return 'publish'; }
    public function get_name(): string { return self::GOODS[$this->id][0]; }
    public function get_price(): string { return self::GOODS[$this->id][1]; }
    public function get_regular_price(): string { return self::GOODS[$this->id][2]; }
    public function is_on_sale(): bool { return $this->get_price() !== $this->get_regular_price(); }
    public function is_purchasable(): bool { return true; }
    public function is_in_stock(): bool { return $this->stock() === null || $this->stock() > 0; }
    public function managing_stock(): bool { return $this->stock() !== null; }
    public function get_stock_quantity(): ?int { return $this->stock(); }
    public function has_enough_stock(int $quantity): bool { return $this->stock() === null || $this->stock() >= $quantity; }
    public function get_short_description(): string { return ''; }
    public function get_description(): string { return '<p>وصف قصير.</p>'; }
    public function get_image_id(): string { return $this->id === 11 ? '7' : ''; }
    public function get_permalink(): string { return "https://shop.example/?p=$this->id"; }
    public function is_type(string $type): bool
    {
        $of = self::GOODS[$this->id][3];
        return $type === ($this->id === 20 ? 'variable' : ($of ? 'variation' : 'simple'));
    }

    public function get_visible_children(): array { return $this->id === 20 ? [21, 22] : []; }
}

class WC_DateTime extends DateTime
{
    public function date(string $format): string
    {
        return $this->format($format);
    }
}

class WC_Order_Item_Product
{
    public function __construct(public array $line)
    {
    }

    public function get_name(): string { return $this->line['title']; }
    public function get_quantity(): int { return $this->line['quantity']; }
}

class WC_Order
{
    public array $kept = ['status' => 'pending', 'billing' => [], 'lines' => [], 'meta' => []];

    public function __construct(private int $id = 0)
    {
        $this->kept = state()['orders'][(string) $id] ?? $this->kept;
    }

    public function save(): void
    {
        state(function (array &$state): void {
            $this->id = $this->id ?: max(array_keys($state['orders'])) + 1;
            $state['orders'][(string) $this->id] = $this->kept;
        });
    }

    public function add_product(WC_Product $product, int $quantity): void
    {
        $this->kept['lines'][] = [
            'id' => $product->get_id(), 'title' => $product->get_name(), 'quantity' => $quantity,
            'price' => (float) $product->get_price(),
        ];
    }

    public function update_status(string $status, string $note = ''): void
    {
        $taken = fn (string $status): int => $status === 'processing' ? 1 : 0;
        $sign = $taken($status) - $taken($this->kept['status']);
        $this->kept['status'] = $status;
        state(function (array &$state) use ($sign): void {
            foreach ($this->kept['lines'] as $line) {
                $state['stock'][(string) $line['id']] -= $sign * $line['quantity'];
            }
        });
        $this->save();
    }

    public function set_address(array $address, string $type): void { $this->kept[$type] = $address; }
    public function set_payment_method(string $method): void { $this->kept['payment'] = $method; }
    public function set_customer_note(string $note): void { $this->kept['note'] = $note; }
    public function update_meta_data(string $key, string $value): void { $this->kept['meta'][$key] = $value; }
    public function calculate_totals(): void { }
    public function get_meta(string $key): string { return $this->kept['meta'][$key] ?? ''; }
    public function get_billing_phone(): string { return $this->kept['billing']['phone'] ?? ''; }
    public function get_id(): int { return $this->id; }
    public function get_order_number(): string { return (string) $this->id; }
    public function get_status(): string { return $this->kept['status']; }
    public function has_status(array $statuses): bool { return in_array($this->kept['status'], $statuses, true); }
    public function get_items(): array { return array_map(fn ($line) => new WC_Order_Item_Product($line), $this->kept['lines']); }
    public function get_currency(): string { return 'IQD'; }
    public function get_date_created(): WC_DateTime { return new WC_DateTime('2026-11-22T12:00:00+03:00'); }

    public function get_line_total(WC_Order_Item_Product $item, bool $with_tax): float
    {
        return $item->line['price'] * $item->line['quantity'];
    }

    public function get_total(): string
    {
        return (string) array_sum(array_map(fn ($line) => $line['price'] * $line['quantity'], $this->kept['lines']));
    }
}

/** Named locks, as MySQL has them. */
final class Database
{
    private array $held = [];

    public function prepare(string $statement, string $value): array
    {
        return [$statement, $value];
    }

    public function get_var(array $prepared): string
    {
        [$statement, $name] = $prepared;
        if (str_contains($statement, 'RELEASE_LOCK')) {
            unset($this->held[$name]);
            return '1';
        }
        $this->held[$name] = fopen(getenv('STATE') . ".$name", 'c');
        return flock($this->held[$name], LOCK_EX) ? '1' : '0';
    }
}

$wpdb = new Database();
$routes = [];

function add_action(string $hook, callable $callback): void
{
    $callback();
}

function register_rest_route(string $namespace, string $path, array $route): void
{
    global $routes;
    $routes[] = ["#^/wp-json/$namespace$path$#", $route];
}

function is_wp_error(mixed $value): bool { return $value instanceof WP_Error; }
function get_bloginfo(string $what): string { return 'متجر ووكومرس'; }
function get_woocommerce_currency(): string { return 'IQD'; }
function wc_get_price_to_display(WC_Product $product): string { return $product->get_price(); }
function wp_strip_all_tags(string $text): string { return trim(strip_tags($text)); }
function wp_get_attachment_image_url(int $id, string $size): string|false { return $id ? "https://shop.example/$id.jpg" : false; }
function wp_get_post_terms(int $id, string $taxonomy, array $arguments): array { return [$id < 20 ? 'أغذية' : 'أحذية']; }
function wc_get_formatted_variation(WC_Product $variant, bool $flat, bool $names): string { return substr($variant->get_name(), -2); }
function wc_get_product(int $id): ?WC_Product { return WC_Product::find($id); }
function wc_get_order(int $id): WC_Order|false { return isset(state()['orders'][(string) $id]) ? new WC_Order($id) : false; }
function wc_create_order(array $arguments): WC_Order { return new WC_Order(); }
function wc_transaction_query(string $what): void { }
function sanitize_title(string $text): string { return $text; }
function sanitize_text_field(string $text): string { return $text; }
function sanitize_textarea_field(string $text): string { return $text; }
function wp_generate_password(int $length): string { return bin2hex(random_bytes($length)); }
function get_option(string $name, string $default): string { return state()['options'][$name] ?? $default; }

/** WordPress finds what holds every word. */
function wc_get_products(array $asked): array
{
    $words = explode(' ', $asked['s'] ?? '');
    $has = fn (WC_Product $product, string $word): bool => $word === '' || mb_stripos($product->get_name(), $word) !== false;
    $all = fn (WC_Product $product): bool => array_filter($words, fn ($word) => !$has($product, $word)) === [];
    return array_slice(array_values(array_filter(WC_Product::parents(), $all)), 0, $asked['limit']);
}

function add_option(string $name, string $value, string $deprecated, bool $autoload): void
{
    state(function (array &$state) use ($name, $value): void {
        $state['options'][$name] = $value;
    });
}

function update_user_meta(int $id, string $key, string $value): void
{
    state(function (array &$state) use ($id, $key, $value): void {
        $state['users'][(string) $id]['meta'][$key] = $value;
    });
}

function wp_insert_user(array $user): int
{
    $id = 0;
    state(function (array &$state) use ($user, &$id): void {
        $id = count($state['users']) + 1;
        $state['users'][(string) $id] = ['name' => $user['display_name'], 'meta' => []];
    });
    return $id;
}

function get_users(array $asked): array
{
    $like = ($asked['meta_compare'] ?? '=') === 'LIKE';
    $found = [];
    foreach (state()['users'] as $id => $user) {
        $value = $user['meta'][$asked['meta_key']] ?? '';
        if ($like ? str_contains($value, $asked['meta_value']) : $value === $asked['meta_value']) {
            $found[] = new WP_User((int) $id, $user['name']);
        }
    }
    return array_slice($found, 0, $asked['number']);
}

ini_set('display_errors', '0');
require getenv('PLUGIN');

/** As WordPress answers: a route that is none, or has another method, is 404. */
function answered(array $routes): WP_REST_Response
{
    $path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    foreach ($routes as [$pattern, $route]) {
        if ($route['methods'] !== $_SERVER['REQUEST_METHOD'] || !preg_match($pattern, rawurldecode($path), $named)) {
            continue;
        }
        $request = new WP_REST_Request($named + $_GET, file_get_contents('php://input'));
        $may = $route['permission_callback']($request);
        if ($may instanceof WP_Error) {
            return new WP_REST_Response(['code' => $may->code, 'message' => $may->message], $may->data['status']);
        }
        return $route['callback']($request);
    }
    return new WP_REST_Response(['code' => 'rest_no_route', 'message' => 'No route was found.'], 404);
}

$answer = answered($routes);
http_response_code($answer->status);
header('Content-Type: application/json; charset=UTF-8');
echo json_encode($answer->data);
