#!/usr/bin/env bash
# From an empty company to an issued, paid invoice: one request, with curl alone.
#   LACRE_KEY=lacre_live_… examples/first-invoice.sh [ORDER]
set -euo pipefail

url=${LACRE_URL:-http://127.0.0.1:8787}
order=${1:-order-$(date +%s)}

# An FR is paid when it is issued. It goes into the current series, is dated today, and creates its customer.
# The Idempotency-Key makes this safe to repeat: a lost answer never becomes a second invoice.
sale=$(curl --silent --show-error --fail-with-body "$url/v1/documents" \
  --header "Authorization: Bearer $LACRE_KEY" --header "Content-Type: application/json" \
  --header "Idempotency-Key: $order" --data '{
    "doc_type": "FR", "series": "current",
    "customer": { "name": "Ana Conceição", "email": "ana@example.com" },
    "lines": [
      { "description": "Pão de Mafra", "qty": 3, "unit_price_net": 1.15, "tax_rate": 6 },
      { "description": "Bolo de anos", "qty": 1, "unit_price_net": 55.55, "tax_rate": 23 }
    ],
    "payments": [{ "method_code": "MB", "amount": 71.99 }],
    "issue": true
  }') || { echo "$sale" >&2; exit 1; } # when the API refuses, its own words

# Takes one field out of a JSON answer: field id <<<"$json"
field() { sed -E "s/.*\"$1\":\"?([^\",}]*).*/\1/" <<<"$(grep -oE "\"$1\":(\"[^\"]*\"|[^,}]*)" | head -n 1)"; }

echo "Issued $(field number <<<"$sale") over $(field total_gross <<<"$sale") EUR. It is $(field payment_status <<<"$sale")."
