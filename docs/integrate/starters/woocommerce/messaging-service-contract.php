<?php
/**
 * Plugin Name: Messaging Service contract
 * Description: Lets the service ask this shop for products, orders and customers, by the contract of docs/integrate/custom-system.md.
 * Requires Plugins: woocommerce
 *
 * Copy this file to wp-content/plugins, activate it, and put a long random secret into wp-config.php:
 *
 *     define('MESSAGING_SERVICE_SECRET', '...');
 *
 * Pretty permalinks have to be on. What is registered is https://your.host/wp-json/messaging-service/v1. WooCommerce has
 * no calendar, so appointments are not declared; whoever has one adds the capability and two routes.
 */

defined('ABSPATH') || exit;

const MSC_STATUSES = [
    'pending' => 'pending', 'on-hold' => 'pending', 'processing' => 'processing', 'completed' => 'delivered',
    'cancelled' => 'cancelled', 'failed' => 'cancelled', 'refunded' => 'refunded',
];

/** Each route: method, path and what answers it. WordPress answers 404 to every other, as JSON. */
const MSC_ROUTES = [
    ['GET', '/verify', 'msc_verify'],
    ['GET', '/products', 'msc_products'],
    ['GET', '/products/(?P<id>[^/]+)', 'msc_product'],
    ['POST', '/orders', 'msc_place_order'],
    ['GET', '/orders/(?P<reference>[^/]+)', 'msc_order'],
    ['POST', '/orders/(?P<reference>[^/]+)/cancel', 'msc_cancel_order'],
    ['GET', '/customers/lookup', 'msc_look_up'],
    ['POST', '/customers', 'msc_keep_lead'],
];

add_action('rest_api_init', function () {
    foreach (MSC_ROUTES as [$method, $path, $callback]) {
        register_rest_route('messaging-service/v1', $path, [
            'methods' => $method, 'callback' => $callback, 'permission_callback' => 'msc_may_ask',
        ]);
    }
});

function msc_may_ask(WP_REST_Request $request)
{
    $secret = defined('MESSAGING_SERVICE_SECRET') ? MESSAGING_SERVICE_SECRET : '';
    $given = (string) $request->get_header('authorization');
    if ($secret !== '' && hash_equals("Bearer $secret", $given)) {
        return true;
    }
    return new WP_Error('msc_secret', 'the secret is wrong', ['status' => 401]);
}

function msc_refused(int $status, string $message): WP_REST_Response
{
    return new WP_REST_Response(['message' => $message], $status);
}

// The catalogue

function msc_verify(): WP_REST_Response
{
    return new WP_REST_Response([
        'name' => get_bloginfo('name'),
        'currency' => get_woocommerce_currency(),
        'capabilities' => ['catalog', 'orders', 'customers'],
    ]);
}

/** What products and variants have in common. */
function msc_item(WC_Product $product): array
{
    return [
        'id' => (string) $product->get_id(),
        'price' => (float) wc_get_price_to_display($product),
        'inStock' => $product->is_in_stock() && $product->is_purchasable(),
        'quantity' => $product->managing_stock() ? (int) $product->get_stock_quantity() : null,
    ];
}

function msc_shown_product(WC_Product $product): array
{
    $description = wp_strip_all_tags($product->get_short_description() ?: $product->get_description());
    $regular = $product->is_on_sale() ? $product->get_regular_price() : '';
    $image = wp_get_attachment_image_url((int) $product->get_image_id(), 'large');
    $shown = msc_item($product) + [
        'title' => $product->get_name(),
        'description' => mb_substr($description, 0, 400),
        'compareAtPrice' => $regular === '' ? null : (float) $regular,
        'imageUrl' => $image ?: null,
        'url' => $product->get_permalink(),
        'categories' => wp_get_post_terms($product->get_id(), 'product_cat', ['fields' => 'names']),
    ];
    if ($product->is_type('variable')) {
        $shown['inStock'] = $product->is_in_stock();
        $variants = array_filter(array_map('wc_get_product', $product->get_visible_children()));
        $shown['variants'] = array_values(array_map('msc_shown_variant', $variants));
    }
    return $shown;
}

function msc_shown_variant(WC_Product $variant): array
{
    $title = wc_get_formatted_variation($variant, true, false);
    return msc_item($variant) + ['title' => $title !== '' ? $title : $variant->get_name()];
}

/** A product that is sold, or null. */
function msc_sold(string $id): ?WC_Product
{
    $product = ctype_digit($id) ? wc_get_product((int) $id) : null;
    return $product && $product->get_status() === 'publish' ? $product : null;
}

function msc_products(WP_REST_Request $request): WP_REST_Response
{
    $asked = ['status' => 'publish', 'visibility' => 'catalog', 'limit' => min(max((int) ($request['limit'] ?? 50), 1), 50)];
    // WordPress asks for every word. Where that finds nothing, any one of them will do: the service ranks.
    $words = preg_split('/\s+/u', (string) ($request['q'] ?? ''), -1, PREG_SPLIT_NO_EMPTY);
    $found = [];
    foreach (array_unique([implode(' ', $words), ...array_slice($words, 0, 6)]) as $search) {
        $search = $search === '' ? [] : ['s' => $search];
        $category = empty($request['category']) ? [] : ['category' => [sanitize_title($request['category'])]];
        foreach (wc_get_products($asked + $search + $category) as $product) {
            $found[$product->get_id()] ??= $product;
        }
        if (count($found) >= 3) {
            break;
        }
    }
    $found = array_slice(array_values($found), 0, $asked['limit']);
    return new WP_REST_Response(['products' => array_map('msc_shown_product', $found)]);
}

function msc_product(WP_REST_Request $request): WP_REST_Response
{
    $product = msc_sold($request['id']);
    if (!$product || $product->is_type('variation')) {
        return msc_refused(404, 'there is no such product');
    }
    return new WP_REST_Response(msc_shown_product($product));
}

// Orders

function msc_shown_order(WC_Order $order): array
{
    $lines = [];
    foreach ($order->get_items() as $item) {
        $quantity = max($item->get_quantity(), 1);
        $price = (float) $order->get_line_total($item, true) / $quantity;
        $lines[] = ['title' => $item->get_name(), 'quantity' => $item->get_quantity(), 'price' => $price];
    }
    $placed = $order->get_date_created();
    return [
        'id' => $order->get_id(),
        'number' => (string) $order->get_order_number(),
        'status' => MSC_STATUSES[$order->get_status()] ?? $order->get_status(),
        'total' => (float) $order->get_total(),
        // As it came, where the service placed the order.
        'customerPhone' => $order->get_meta('_msc_phone') ?: ($order->get_billing_phone() ?: null),
        'currency' => $order->get_currency(),
        'placedAt' => $placed ? $placed->date('c') : null,
        'lines' => $lines,
    ];
}

/** An order by its number, which WooCommerce makes of its id. */
function msc_find_order(string $reference): ?WC_Order
{
    $reference = ltrim($reference, '#');
    $order = ctype_digit($reference) ? wc_get_order((int) $reference) : null;
    return $order instanceof WC_Order ? $order : null;
}

function msc_place_order(WP_REST_Request $request): WP_REST_Response
{
    global $wpdb;
    $body = $request->get_json_params();
    $key = is_string($body['idempotencyKey'] ?? null) ? $body['idempotencyKey'] : '';
    if ($key === '' || empty($body['lines'])) {
        return msc_refused(422, 'the order has no key, or names nothing');
    }
    // Of two requests with one key, the second waits here and then finds the order of the first.
    $kept = 'msc_order_' . hash('sha256', $key);
    $lock = substr($kept, 0, 60);
    if ($wpdb->get_var($wpdb->prepare('SELECT GET_LOCK(%s, 8)', $lock)) !== '1') {
        return msc_refused(503, 'the shop is busy');
    }
    try {
        $made = msc_find_order((string) get_option($kept, ''));
        return $made ? new WP_REST_Response(msc_shown_order($made)) : msc_make_order($body, $kept);
    } finally {
        $wpdb->get_var($wpdb->prepare('SELECT RELEASE_LOCK(%s)', $lock));
    }
}

function msc_make_order(array $body, string $kept): WP_REST_Response
{
    $wanted = [];
    foreach ($body['lines'] as $line) {
        $product = msc_sold((string) ($line['variantId'] ?? ''));
        $quantity = (int) ($line['quantity'] ?? 0);
        if (!$product || $product->is_type('variable') || $quantity < 1) {
            return msc_refused(422, 'a line names what is not sold');
        }
        if (!$product->is_purchasable() || !$product->is_in_stock() || !$product->has_enough_stock($quantity)) {
            return msc_refused(409, $product->get_name() . ' is not there in that quantity');
        }
        $wanted[] = [$product, $quantity];
    }
    $customer = $body['customer'] ?? [];
    $address = $body['address'] ?? [];
    $to = [
        'first_name' => (string) ($customer['name'] ?? ''), 'phone' => (string) ($customer['phone'] ?? ''),
        'address_1' => (string) ($address['line1'] ?? ''), 'address_2' => (string) ($address['notes'] ?? ''),
        'city' => (string) ($address['city'] ?? ''), 'state' => (string) ($address['province'] ?? ''),
        'country' => (string) ($address['country'] ?? ''),
    ];
    // The order and its key are stored together or not at all.
    wc_transaction_query('start');
    $order = wc_create_order(['created_via' => 'messaging-service']);
    foreach ($wanted as [$product, $quantity]) {
        $order->add_product($product, $quantity);
    }
    $order->set_address($to + ['email' => (string) ($customer['email'] ?? '')], 'billing');
    $order->set_address($to, 'shipping');
    $order->set_payment_method('cod');
    $order->set_customer_note((string) ($body['note'] ?? ''));
    $order->update_meta_data('_msc_phone', $to['phone']);
    $order->calculate_totals();
    $order->save();
    add_option($kept, (string) $order->get_id(), '', false);
    wc_transaction_query('commit');
    // From here on WooCommerce takes the stock and sends its mails.
    $order->update_status('processing');
    return new WP_REST_Response(msc_shown_order($order), 201);
}

function msc_order(WP_REST_Request $request): WP_REST_Response
{
    $order = msc_find_order($request['reference']);
    return $order ? new WP_REST_Response(msc_shown_order($order)) : msc_refused(404, 'there is no such order');
}

function msc_cancel_order(WP_REST_Request $request): WP_REST_Response
{
    $order = msc_find_order($request['reference']);
    if (!$order) {
        return msc_refused(404, 'there is no such order');
    }
    if (!$order->has_status(['pending', 'on-hold', 'processing'])) {
        return msc_refused(409, 'the order is ' . $order->get_status() . ' and can no longer be cancelled');
    }
    $reason = $request->get_json_params()['reason'] ?? '';
    $order->update_status('cancelled', is_string($reason) ? $reason : '');
    return new WP_REST_Response(msc_shown_order($order));
}

// Customers

/** The customer of a number, however it was typed: the last nine digits decide. */
function msc_customer_of(string $phone): ?WP_User
{
    $end = substr(preg_replace('/\D/', '', $phone), -9);
    if (strlen($end) < 9) {
        return null;
    }
    foreach (['_msc_phone' => $phone, 'billing_phone' => $phone] as $field => $written) {
        $found = get_users(['meta_key' => $field, 'meta_value' => $written, 'number' => 1]);
        if ($found) {
            return $found[0];
        }
    }
    $spelt = get_users(['meta_key' => 'billing_phone', 'meta_value' => $end, 'meta_compare' => 'LIKE', 'number' => 1]);
    return $spelt[0] ?? null;
}

function msc_look_up(WP_REST_Request $request): WP_REST_Response
{
    $user = msc_customer_of((string) ($request['phone'] ?? ''));
    if (!$user) {
        return new WP_REST_Response(['customer' => null]);
    }
    $customer = new WC_Customer($user->ID);
    $fields = ['عدد الطلبات' => $customer->get_order_count(), 'مجموع المشتريات' => (float) $customer->get_total_spent()];
    return new WP_REST_Response(['customer' => ['id' => $user->ID, 'name' => $user->display_name, 'fields' => $fields]]);
}

function msc_keep_lead(WP_REST_Request $request): WP_REST_Response
{
    $body = $request->get_json_params();
    $phone = (string) ($body['phone'] ?? '');
    if ($phone === '') {
        return msc_refused(422, 'a lead needs a phone');
    }
    $user = msc_customer_of($phone);
    $id = $user ? $user->ID : wp_insert_user([
        'user_login' => 'phone-' . preg_replace('/\D/', '', $phone),
        'user_pass' => wp_generate_password(32),
        'display_name' => sanitize_text_field((string) ($body['name'] ?? '')),
        'role' => 'customer',
    ]);
    if (is_wp_error($id)) {
        return msc_refused(409, $id->get_error_message());
    }
    update_user_meta($id, '_msc_phone', $phone);
    update_user_meta($id, '_msc_note', sanitize_textarea_field((string) ($body['note'] ?? '')));
    return new WP_REST_Response(['customer' => ['id' => $id]]);
}
