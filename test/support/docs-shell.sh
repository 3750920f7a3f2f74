# The shell that runs the `sh` blocks of the docs. A server runs in the background on a free port, and `curl` finds it.
set -euo pipefail
url_file=$SCRATCH/url pid_file=$SCRATCH/pid
export LACRE_PUBLIC_URL=https://loja.pt # links to documents begin with it

mapfile -t program <<<"$PROGRAM"
run_lacre() { "${program[@]}" "$@"; }

stop_server() {
  [ -f "$pid_file" ] || return 0
  kill "$(cat "$pid_file")"
  wait "$(cat "$pid_file")"
  rm -f "$pid_file" "$url_file"
}
trap stop_server EXIT

start_server() { # serve or demo, and its flags
  stop_server
  : >"$SCRATCH/log"
  "${program[@]}" "$@" --port 0 >>"$SCRATCH/log" 2>&1 &
  echo $! >"$pid_file"
  until grep -om1 'http://127\.0\.0\.1:[0-9]*' "$SCRATCH/log" | head -n 1 >"$url_file" && [ -s "$url_file" ]; do
    kill -0 "$(cat "$pid_file")" # fails when the server has ended
    sleep 0.02
  done
}

lacre() {
  case "$1 ${2:-}" in
    serve* | demo*) start_server "$@" ;;
    "restore --"*) run_lacre "$@" ;;
    restore*) stop_server && run_lacre "$@" ;; # the page tells the reader to stop it
    *) run_lacre "$@" ;;
  esac
}

npm() { # the scripts that take long need only be there
  case "$*" in
    ci) ;;
    test) grep -q '"test":' "$REPOSITORY/package.json" ;;
    "run demo") lacre demo ;;
    "run lacre -- "*) shift 3 && lacre "$@" ;;
    *) grep -q "\"$2\":" "$REPOSITORY/package.json" ;;
  esac
}

curl() { # -s keeps a refusal silent, and a tool of /mcp refuses with 200: here both end the page, with their words
  if ! command curl --fail-with-body "${@//http:\/\/127.0.0.1:8787/$(cat "$url_file")}" >"$SCRATCH/answer" ||
    grep -aqE '"isError":true|"jsonrpc".*"error":' "$SCRATCH/answer"; then
    echo "curl was refused: $(cat "$SCRATCH/answer")" >&2
    return 1
  fi
  cat "$SCRATCH/answer"
}

# Files of the reader's own.

base64 -d >logo.png <<<iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
gunzip -c "$REPOSITORY/test/core/saft/samples/at-demo-2018-no-ledger.xml.gz" >old-program.xml
"$NODE" -p 'require("node:crypto").generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ type: "pkcs8", format: "pem" })' >producer-key.pem

# What a block takes for granted.

need_database() { [ -f lacre.db ] || run_lacre init --name Loja --tax-id 500000000 >/dev/null; }

need_company() { # serve --new makes a database without one
  run_lacre company show >/dev/null 2>&1 || [ $? -ne 3 ] || run_lacre company create --name Loja --tax-id 500000000 >/dev/null
}

need_server() {
  need_database
  need_company
  [ -f "$pid_file" ] || start_server serve
  [ -v LACRE_KEY ] || LACRE_KEY=$(run_lacre key create --name docs --scope all --json | field api_key)
}

newest_series() { # of type FT
  run_lacre series list --json | tr -d ' \n' | tr '{' '\n' | grep '"doc_type":"FT"' | tail -n 1 | field id
}

need_CUSTOMER() {
  need_server
  [ -v CUSTOMER ] || CUSTOMER=$(post customers '{"name":"Ana"}' | field id)
}

need_AGENT_KEY() { # of one who does not issue
  need_server
  [ -v AGENT_KEY ] || AGENT_KEY=$(run_lacre key create --name agent --scope customers:write --scope documents:read \
    --scope documents:write --json | field api_key)
}

need_INVOICE() {
  [ ! -v INVOICE ] || return 0
  need_CUSTOMER
  INVOICE=$(post documents '{"doc_type":"FT","series_id":"'"$(newest_series)"'","issue_date":"'"$(date +%F)"'","issue":true,
    "customer_id":"'"$CUSTOMER"'","lines":[{"description":"Pão","qty":1,"unit_price_net":9,"tax_rate":23}]}' | field id)
}

need_SALE() { # paid when it was issued
  need_server
  [ -v SALE ] || SALE=$(post documents "$(sale)" | field id)
}

need_CREDITED() { # a sale whose money was not given back
  [ ! -v CREDITED ] || return 0
  need_server
  CREDITED=$(post documents "$(sale)" | field id)
  post "documents/$CREDITED/credit" '{"issue":true}' >/dev/null
}

sale() {
  echo '{"doc_type":"FR","series":"current","issue":true,"customer":{"name":"Ana"},
    "lines":[{"description":"Pão","qty":1,"unit_price_net":9,"tax_rate":23}]}'
}

post() { # PATH JSON
  curl -sS "http://127.0.0.1:8787/v1/$1" -H "Authorization: Bearer $LACRE_KEY" -H "Content-Type: application/json" -d "$2"
}

field() { sed -nE "s/.*\"$1\": *\"([^\"]*)\".*/\1/p" <<<"$(grep -oE "\"$1\": *\"[^\"]*\"" | head -n 1)"; }
