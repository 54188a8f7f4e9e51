#!/bin/sh
# Every call of the API, with curl and jq. SERVICE_URL and API_KEY say where and as whom.
set -eu
: "${SERVICE_URL:=http://127.0.0.1:8080}" "${API_KEY:?}"
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# call METHOD PATH [BODY [IDEMPOTENCY-KEY]]: prints the answer. curl repeats a call that was answered 429 or 5xx, and
# waits as long as Retry-After says; only the last answer is printed, and not the page of a proxy before it. What sends
# something therefore always carries a key.
call() {
    method=$1 path=$2
    set -- "${3:-}" "${4:-}"
    curl --silent --show-error --fail-with-body --retry 3 --output "$answer" --request "$method" "$SERVICE_URL$path" \
        --header "Authorization: Bearer $API_KEY" \
        ${1:+--header "Content-Type: application/json" --data "$1"} \
        ${2:+--header "Idempotency-Key: $2"} || { cat "$answer" >&2; return 1; }
    jq . "$answer"
}

run=$(date +%s)-$$

# Who am I?
call GET "/v1/me"

# Which templates can be sent, and what does each need?
call GET "/v1/templates?status=approved"

# A notice. The key is yours: the same key never sends twice.
sent=$(call POST "/v1/messages/template" '{
    "to": "07701234567", "template": "order_ready", "variables": ["سارة", "A-1042"], "reference": "order-1042"
}' "order-1042-$run")

# A one-time code.
call POST "/v1/messages/template" '{ "to": "07701234567", "template": "login_code", "code": "483920" }' "login-$run"

# What became of the notice: by its id, and by your own reference.
call GET "/v1/messages/$(echo "$sent" | jq -r .id)"
call GET "/v1/messages?reference=order-1042"

# Contacts: add, rename, read, search.
contact=$(call POST "/v1/contacts" '{ "phone": "0770 765 4321", "name": "Noor" }' | jq -r .id)
call PATCH "/v1/contacts/$contact" '{ "name": "Noor Ali" }'
call GET "/v1/contacts/$contact"
call GET "/v1/contacts?search=Noor"

# A list page by page: `nextCursor` is null on the last one.
cursor=
while :; do
    page=$(call GET "/v1/conversations?limit=50${cursor:+&cursor=$cursor}")
    conversation=$(echo "$page" | jq -r '.data[0].id // empty')
    cursor=$(echo "$page" | jq -r '.nextCursor // empty')
    [ -n "$cursor" ] || break
done

# One conversation, what was said in it, and an answer.
call GET "/v1/conversations/$conversation"
call GET "/v1/conversations/$conversation/messages"
call POST "/v1/messages" "{ \"conversationId\": \"$conversation\", \"text\": \"Your order is ready.\" }" "reply-$run"
