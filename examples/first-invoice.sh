#!/usr/bin/env bash
# From an empty company to an issued, paid invoice with curl alone.
#   LACRE_KEY=lacre_live_… examples/first-invoice.sh
set -euo pipefail

url=${LACRE_URL:-http://127.0.0.1:8787}
today=$(TZ=Europe/Lisbon date +%F)

# Prints the answer of a call; when the API refuses, its own words go to standard error and the script stops.
call() {
  local answer
  answer=$("$@") || { echo "$answer" >&2; return 1; }
  echo "$answer"
}

lacre() { # METHOD PATH [JSON]
  call curl --silent --show-error --fail-with-body --request "$1" "$url$2" \
    --header "Authorization: Bearer $LACRE_KEY" ${3:+--header "Content-Type: application/json" --data "$3"}
}

# Takes one field out of a JSON answer: field id <<<"$json"
field() { sed -E "s/.*\"$1\":\"?([^\",}]*).*/\1/" <<<"$(grep -oE "\"$1\":(\"[^\"]*\"|[^,}]*)" | head -n 1)"; }

customer=$(lacre POST /v1/customers '{"name":"Ana Conceição","email":"ana@example.com"}' | field id)
product=$(lacre POST /v1/products '{"name":"Pão de Mafra","unit_price_net":1.15,"tax_rate":6}' | field id)

# A company has closed series, series to practise in, and next year's: an invoice goes into the one of its date.
series=$(lacre GET "/v1/series?doc_type=FT&current=true&date=$today" | field id)

draft=$(lacre POST /v1/documents "{
  \"doc_type\": \"FT\", \"series_id\": \"$series\", \"issue_date\": \"$today\", \"customer_id\": \"$customer\",
  \"lines\": [
    {\"description\": \"Pão de Mafra\", \"qty\": 3, \"unit_price_net\": 1.15, \"tax_rate\": 6, \"product_id\": \"$product\"},
    {\"description\": \"Bolo de anos\", \"qty\": 1, \"unit_price_net\": 55.55, \"tax_rate\": 23}
  ]
}" | field id)

# The Idempotency-Key makes this safe to repeat: a lost answer never becomes a second invoice.
invoice=$(call curl --silent --show-error --fail-with-body --request POST "$url/v1/documents/$draft/issue" \
  --header "Authorization: Bearer $LACRE_KEY" --header "Idempotency-Key: issue-$draft")
total=$(field total_gross <<<"$invoice")
echo "Issued $(field number <<<"$invoice") over $total EUR."

lacre POST "/v1/documents/$draft/payments" "{\"amount\":$total,\"method_code\":\"MB\",\"payment_date\":\"$today\"}" >/dev/null
echo "It is $(lacre GET "/v1/documents/$draft" | field payment_status)."
