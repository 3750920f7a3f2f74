/**
 * Every sentence a refusal can use, in English; sentences-pt.ts has the same in Portuguese. A table of type `Sentences`
 * that lacks a sentence does not compile. Values are raw (cents, basis points, codes, dates); each language formats
 * them itself.
 */
import type { Day, Instant } from "../fiscal/civil-time.ts";
import type { DocType } from "../fiscal/document-types.ts";
import type { Status, Verb } from "../fiscal/lifecycle.ts";
import { formatCents, fromBps, fromCents, fromMicros } from "../fiscal/money.ts";
import type { Demand } from "../fiscal/tax-id.ts";
import type { TaxPlace } from "../fiscal/taxation.ts";

type OfType = { doc_type: DocType };
type Numbered = { number: string | null };
type Returned = { name: string; room_micros: number; credited_micros: number };
type Credited = { room_cents: number; credited_cents: number };
type Shares = { shares: readonly { rate_bps: number; cents: number }[] };
type Blocked = { database_changed: number; numbers_unconfirmed: number; clock_behind: number };
type OfCertificate = { code: string; began_under: number; certificate_number: number };

type AboveCents = { fields: readonly AddressField[]; above_cents: number };

/** A field of an address that a document must show. */
export type AddressField = keyof typeof FLAGS;

/** The flags of `lacre company set` that give a company its address. */
const FLAGS = { address: "--address TEXT", postal_code: "--postal-code TEXT", city: "--city TEXT" };

/**
 * The English sentences by name: a text, or a function of the values in it. Names, like codes, are never translated.
 */
export const ENGLISH = {
  // ——— The default sentence of each code ———
  invalid_request: "The request is not valid.",
  unauthorized: "The API key is missing, invalid or revoked.",
  forbidden: "The API key lacks the scope this needs.",
  password_required: "Type your password again to do this.",
  not_found: "There is nothing here.",
  invalid_state: "The resource is not in a state that allows this.",
  series_closed: "The series is closed.",
  series_not_registered: "The series has no validation code.",
  date_out_of_order: "The series already has a document with a later date.",
  document_settled: "Payments or other documents depend on this document.",
  payment_exceeds_balance: "The payment is more than what is outstanding.",
  credit_exceeds_original: "The credit is more than what it corrects.",
  receipt_exceeds_documents: "The receipt is more than the documents it acknowledges.",
  conflict: "Something with the same identity exists already.",
  precondition_failed: "It has changed since it was read: read it again.",
  idempotency_in_progress: "A request with this Idempotency-Key is still running.",
  idempotency_key_reused: "This Idempotency-Key was used for another request.",
  rate_limited: "Too many requests with this API key.",
  unavailable: "Lacre cannot do this right now.",
  internal_error: "Something went wrong on our side.",
  method_not_allowed: "This path does not support that method.",
  request_timeout: "The request did not arrive in time.",
  payload_too_large: "The body is too large.",
  unsupported_media_type: "The body must be application/json in UTF-8, without Content-Encoding.",

  // ——— A field of any kind; these follow its path: `lines[2].qty: must be more than 0` ———
  is_required: "is required",
  is_unknown_field: "is not a known field",
  is_repeated: "is repeated",
  excludes_field: ({ field }: { field: string }) => `must not be sent with ${field}`,
  needs_field: ({ field }: { field: string }) => `is only taken together with ${field}`,
  is_not_valid: "is not valid",
  and_more: ({ count }: { count: number }) => `and ${count} more`,
  must_be_of_type: ({ type }: { type: ValueType }) => `must be ${TYPES[type]}`,
  must_be_one_of: ({ values }: { values: readonly unknown[] }) =>
    `must be ${values.length > 1 ? "one of " : ""}${values.join(", ")}`,
  must_not_be_empty: "must not be empty",
  has_too_many_items: ({ max }: { max: number }) => `must have at most ${max} items`,
  has_too_many_names: ({ max }: { max: number }) => `must have at most ${max} names`,

  // ——— Text ———
  has_too_many_characters: ({ max }: { max: number }) => `must have at most ${max} characters`,
  must_have_something_to_see: "must have something to see: these characters leave no mark",
  reads_like_certificate_line:
    "must not read like the certificate line (… por programa certificado n.º 1234/AT), which only Lacre prints",
  has_too_many_lines: ({ max }: { max: number }) => `must have at most ${max} lines`,
  has_stacked_marks: "must not stack more than 30 marks on a letter",
  has_lone_surrogates: "must not contain lone surrogates",
  has_control_characters: "must not contain control characters",
  has_bidi_overrides: "must not contain bidirectional overrides",
  must_be_uuid: "must be a UUID",
  must_be_email: "must be an e-mail address",
  must_be_nif: "is not a valid Portuguese tax number (NIF)",
  is_tax_id: "is a tax number, not a name: put it in tax_id",
  must_be_country: "must be an ISO 3166 alpha-2 code, such as PT",
  must_be_time_zone: "is not a known time zone",
  must_be_exemption_code: "is not an exemption code",
  must_be_if_match: 'must be * or ETags as they were answered, such as "AbC", with commas between them',
  must_be_idempotency_key: "must be 1 to 255 visible ASCII characters",
  must_be_metadata_name: "is not a name of 1 to 40 letters, digits and _ . -",
  must_be_series_code: "must be 1 to 20 letters and digits, single . _ - between them, not beginning with AT",
  must_be_validation_code: "must be AT's code: 8 or more characters 0-9 A-Z",

  // ——— Numbers ———
  must_be_at_least: ({ min }: { min: number }) => `must be at least ${min}`,
  must_be_more_than: ({ above }: { above: number }) => `must be more than ${above}`,
  must_be_at_most: ({ max }: { max: number }) => `must be at most ${max}`,
  must_be_whole_number: ({ min, max }: { min: number; max: number }) => `must be a whole number from ${min} to ${max}`,
  has_too_many_digits: ({ max, decimals }: { max: number; decimals: number }) =>
    `must have at most ${max} significant digits: round what was computed to at most ${decimals} decimals`,
  has_too_many_decimals: ({ max }: { max: number }) => `must have at most ${max} decimals`,

  // ——— Dates ———
  must_be_date: "must be a date, YYYY-MM-DD",
  must_be_month: "must be a month, YYYY-MM",
  must_be_document_number: "must be the number of a document: FT 2026A/17, or 17 in any series",
  must_be_instant: "must be a timestamp with zone: 2026-11-21T10:30:00Z",
  must_be_on_or_after: ({ date }: { date: Day }) => `must be ${date} or later`,
  must_be_in_year: ({ year }: { year: string }) => `must be in ${year}: a file covers one year`,

  // ——— Files and keys ———
  must_be_bytes_of_picture: "must be the bytes of a picture, or Base64",
  must_be_printable_picture: "must be an intact PNG (up to a million pixels) or JPEG of at most 512 KB",
  must_be_public_key: "is not a public key in PEM",
  must_be_private_key: "must be a private key as PEM (PKCS#1 or PKCS#8) without a passphrase",
  must_be_rsa_key: ({ bits }: { bits: number }) => `must be RSA of ${bits} bits`,
  is_damaged_key: "is damaged: its signatures do not verify",
  file_is_not_saft: ({ root }: { root: string }) =>
    `This is not a SAF-T (PT) file: its root is ${root}, not AuditFile of urn:OECD:StandardAuditFile-Tax:PT_1.04_01.`,
  file_is_other_saft: ({ version }: { version: string }) =>
    `This file is SAF-T ${version}; only PT_1.04_01 is supported.`,
  file_has_too_many_records: ({ records, characters }: { records: number; characters: number }) =>
    `This file has more than ${records} customers and products, or more than ${characters} characters in them: ` +
    "lacre import-saft takes it, at the server.",
  file_not_readable: ({ reason }: { reason: string }) => reason,

  // ——— Unknown ids ———
  no_such_api_key: "There is no such API key.",
  no_such_company: "There is no such company.",
  no_such_customer: "There is no such customer.",
  no_such_document: "There is no such document.",
  no_such_invitation: "There is no such open invitation.",
  no_such_payment: "There is no such payment.",
  no_such_product: "There is no such product.",
  no_such_session: "There is no such session.",
  no_such_user: "There is no such user.",
  no_such_series: "There is no such series.",
  no_current_series: ({ doc_type, year, codes }: OfType & { year: number; codes: readonly string[] }) =>
    `No series takes ${doc_type} of ${year}; active ones are ${codes.join(", ") || "none"}. Open one (lacre series open).`,

  // ——— Fields fixed by issued documents ———
  company_tax_id_is_fixed: ({ tax_id }: { tax_id: string }) =>
    `Documents were issued under the tax number ${tax_id}: it is fixed. Another taxpayer is another company.`,
  customer_tax_id_is_fixed:
    "The customer has documents: its tax number is fixed (Despacho 8632/2014, 3.3.3). Create another customer.",
  customer_name_is_fixed:
    "The customer has documents and no tax number: its name is fixed until it has one (Despacho 8632/2014, 3.3.4).",
  product_name_is_fixed:
    "The product has documents: its name is fixed (Despacho 8632/2014, 3.3.5). Create another product.",

  // ——— Who may call ———
  lacks_scope: ({ scope }: { scope: string }) => `The API key lacks the scope ${scope}.`,
  host_program_only: "Only the host program may do this.",
  takes_no_if_match: ({ operation_id }: { operation_id: string }) => `${operation_id} takes no If-Match.`,
  takes_no_idempotency_key: ({ operation_id }: { operation_id: string }) => `${operation_id} takes no Idempotency-Key.`,
  must_name_a_scope: "must name at least one scope",
  key_already_revoked: "The API key is already revoked.",

  // ——— Users ———
  no_session: "Log in: there is no session, or it has ended.",
  login_refused: "The login or the password is wrong, or the user is disabled.",
  password_is_wrong: "The password is wrong.",
  password_too_short: ({ min }: { min: number }) => `must have at least ${min} characters`,
  password_is_theirs: "must not be your login or your name",
  password_is_guessed: "is guessed at once: choose a longer one, such as four words that have nothing in common",
  too_many_tries: "Too many wrong passwords: wait before you try again.",
  too_many_passwords: "Too many people are logging in at this moment: try again.",
  role_lacks_permission: ({ permission }: { permission: string }) => `Your role does not allow this (${permission}).`,
  link_is_spent: "This link was used or withdrawn, or has expired. Ask for another one.",
  must_be_invited_login: ({ login }: { login: string }) => `must be ${login}, whom the link is for`,
  login_is_taken: ({ login }: { login: string }) =>
    `The user ${login} was changed at this moment: open the link again.`,
  is_no_member: "You are no longer in this company.",
  user_is_member: "This user is in the company already.",
  user_is_disabled: "The user is disabled.",
  user_is_elsewhere:
    "The user is or was in other companies, which a new password would open: whoever runs Lacre resets it (lacre user reset).",
  is_last_owner: "This is the last owner of a company: make another one first.",
  company_exists: ({ tax_id }: { tax_id: string }) =>
    `There is a company with the NIF ${tax_id} already; a second shop of it issues in series of its own there.`,
  owns_most_companies: ({ max }: { max: number }) =>
    `An owner makes at most ${max} companies here; the operator makes more.`,
  only_owners_make_companies: "Only an owner of a company may create another one.",
  which_company: "You are in several companies, or in none: name one by its id in the header Lacre-Company.",

  // ——— Drafts ———
  must_have_a_line: "must have at least one line",
  is_unknown: "is unknown",
  names_other_series_type: ({ series_type, doc_type }: OfType & { series_type: DocType }) =>
    `is a series for ${series_type}, not ${doc_type}`,
  names_no_own_reference: "is not one of the document's references",
  must_be_sent_alone: "must be sent alone",
  takes_no_payment_at_issue: ({ doc_type }: OfType) => `a document of type ${doc_type} is not paid at issue`,
  is_due_before_issue: "must not be before issue_date",
  takes_no_supply_date: ({ doc_type }: OfType) => `a document of type ${doc_type} has no date of supply`,
  must_be_products_type: ({ type }: { type: string }) => `must be ${type}, the product's type`,
  total_is_too_large: ({ max_cents }: { max_cents: number }) => `the total must be at most ${fromCents(max_cents)}`,
  draft_is_referenced: "Another draft references this one; change or discard that one first.",
  status_forbids: ({ verb, status }: { verb: Verb; status: Status }) =>
    `${SUBJECTS[status]} cannot be ${PARTICIPLES[verb]}.`,

  // ——— Issuing ———
  is_after_today: ({ today }: { today: Day }) => `is later than today, ${today}`,
  is_before_series: ({ code, began }: { code: string; began: Day }) =>
    `the series ${code} was registered on ${began}: no document is dated before (Decreto-Lei 28/2019, 35)`,
  is_before_what_it_pays: ({ date }: { date: Day }) =>
    `is before ${date}, the day of what it pays: money received in advance has an invoice of its own`,
  is_out_of_time: ({ issue_date }: { issue_date: Day }) =>
    `is more than four years before ${issue_date}: no tax is assessed any more on what was supplied then (LGT, article 45)`,
  must_come_to_total: ({ doc_type, paid_cents, gross_cents }: OfType & { paid_cents: number; gross_cents: number }) =>
    `must come to the total of the ${doc_type}, ${fromCents(gross_cents)}: they come to ${fromCents(paid_cents)}`,
  come_to_nothing: "the lines have prices and come to 0.00: give larger quantities or prices",
  reads_like_withholding:
    "must not begin like a withholding, which is no line: it is stated below the total (Despacho 8632/2014, 2.2.7)",
  is_required_on_type: ({ doc_type }: OfType) =>
    `is required on ${doc_type}: name in document_id each document it is about`,
  total_exceeds_type: ({ doc_type, max_cents, gross_cents }: OfType & { max_cents: number; gross_cents: number }) =>
    `a document of type ${doc_type} is at most ${formatCents(max_cents)} EUR, this one is ${formatCents(gross_cents)}`,
  company_lacks_address: ({ fields }: { fields: readonly AddressField[] }) =>
    `The company has no ${fields.join(", ")}: its documents show them (CIVA, article 36/5). Set them with ` +
    `lacre company set ${fields.map((field) => FLAGS[field]).join(" ")}.`,
  customer_lacks_address: ({ fields, doc_type, above_cents }: OfType & AboveCents) =>
    `The customer has no ${fields.join(", ")}: a document of type ${doc_type} above ${formatCents(above_cents)} EUR shows ` +
    "them (CIVA, article 36/5). Set them with PATCH /v1/customers/{id}, or invoice a customer named Consumidor final.",
  customer_is_missing: "The customer does not exist.",
  customer_is_archived: "The customer is archived.",
  payments_exceed_total: ({ paid_cents, gross_cents }: { paid_cents: number; gross_cents: number }) =>
    `The payments sum to ${fromCents(paid_cents)}, the document's total is ${fromCents(gross_cents)}.`,
  clock_is_behind: ({ latest }: { latest: Instant }) =>
    `Nothing is issued while the clock is behind the latest document (${latest}). Set the clock; if it is right, confirm it (lacre clock confirm).`,
  clock_is_unconfirmed: ({ now, since }: { now: Instant; since: Instant }) =>
    `By this clock (${now}), nothing was issued for more than 60 days (since ${since}). If it is wrong, set it; if it is right, confirm it: in the company area, or lacre clock confirm.`,
  signing_failed: "The document could not be signed.",

  // ——— Tax ———
  takes_no_exemption: ({ rate_bps }: { rate_bps: number }) => `must not be set at ${fromBps(rate_bps)} %`,
  exemption_not_in_force: ({ code, date }: { code: string; date: Day }) => `${code} is not in force on ${date}`,
  exemption_demands: ({ code, demand }: { code: string; demand: Demand }) =>
    `${code} is not for this customer, who needs ${DEMANDED[demand]}`,
  needs_exemption: "is required at 0 %; the product and the company can have one too",
  must_be_lawful_rate: ({ rates_bps, region, date }: TaxPlace & { rates_bps: readonly number[] }) =>
    `must be ${either(rates_bps.map(fromBps))} % (${region}, ${date})`,

  // ——— Printing ———
  is_for_cash: "is for a document that was paid in cash as it was issued",

  // ——— Transport ———
  takes_no_transport: ({ doc_type }: OfType) => `a document of type ${doc_type} has no transport`,
  arrives_before_leaving: "must not be before the goods leave",
  leaves_before_issue: "must not be before the document is issued",
  needs_place: "needs an address or a city: neither it nor the party it would be taken from has one",
  takes_no_transport_code: ({ doc_type }: OfType) => `A document of type ${doc_type} has no transport code.`,
  carries_no_transport: "The document was issued without a transport, and so has no transport code.",
  transport_code_needs_issue: "Only an issued document takes a transport code.",
  has_transport_code: ({ at_doc_code }: { at_doc_code: string }) =>
    `The document already has the transport code ${at_doc_code}.`,
  transport_has_begun: ({ start_at }: { start_at: Instant }) =>
    `The transport began at ${start_at}; with a transport code, the document can no longer be cancelled.`,

  // ——— References ———
  names_no_document_of_company: "is no document of this company",
  references_nothing: ({ doc_type }: OfType) => `a document of type ${doc_type} has no references`,
  may_not_reference: ({
    doc_type,
    referenced,
    allowed,
  }: OfType & { referenced: DocType; allowed: readonly DocType[] }) =>
    `is of type ${referenced}; ${doc_type} may reference ${allowed.join(", ")}`,
  is_dated_later: "is dated later than this document",
  is_of_other_customer: "is of another customer",
  differs_in_training: ({ training }: { training: boolean }) =>
    `is a ${training ? "training" : "real"} document, this one is not`,
  is_required_with_several: "is required with several references",
  names_no_corrected_line: "is not the number of a line of the document it corrects",
  names_line_of_other_product: "is a line of another product",
  must_be_corrected_rate: ({ rates_bps }: { rates_bps: readonly number[] }) =>
    `must be that of the line it corrects, ${either(rates_bps.map(fromBps))} %`,
  needs_corrected_line: ({ number }: Numbered) =>
    `is required: the line names no product of ${number}; give the number of the line it corrects there, from 1`,
  name_too_many_lines: ({ max }: { max: number }) =>
    `the documents have more than ${max} lines in all: name fewer of them in one document`,
  amounts_differ_from_total: ({ amounts_cents, gross_cents }: { amounts_cents: number; gross_cents: number }) =>
    `amounts sum to ${fromCents(amounts_cents)}, the document's total is ${fromCents(gross_cents)}`,
  is_under_cash_vat: "names a document under cash VAT: go on in a series of that scheme",
  is_not_under_cash_vat: "names a document that is not under cash VAT: go on in a series outside that scheme",
  is_credited_under_cash_vat: "names a credit note: under cash VAT its document has less left, and is named alone",
  is_received_already: "names nothing that is left to be received",
  company_left_cash_vat: "is of the cash-VAT scheme, which the company has left: receipts and corrections alone go on",
  company_is_not_in_cash_vat: "is for a company in the cash-VAT scheme",
  is_for_types: ({ doc_type, allowed }: OfType & { allowed: readonly DocType[] }) =>
    `is for ${allowed.join(", ")}, not for ${doc_type}`,
  must_be_taxable_person:
    "must have a tax number that is not the company's own: cash VAT is for sales to taxable persons (DL 71/2013, 1/2)",
  is_outside_cash_vat: ({ code }: { code: string }) =>
    `names an operation that cash VAT leaves out (${code}): issue it in a series outside that scheme`,
  must_be_date_of_receipt: ({ date }: { date: Day }) =>
    `must be the date of the receipt, ${date}: under cash VAT both are of one day (DL 71/2013, 6/4)`,
  must_be_split_as_invoiced: ({ number, shares }: Numbered & Shares) =>
    `must state of ${number} what falls to each rate: ` +
    `${shares.map(({ rate_bps, cents }) => `${formatCents(cents)} at ${fromBps(rate_bps)} %`).join(", ")}`,
  must_be_what_lines_come_to: ({ gross_cents }: { gross_cents: number }) =>
    `must be the sum of its lines, ${fromCents(gross_cents)}`,
  reference_must_be_issued: ({ number, status }: Numbered & { status: Status }) =>
    `A referenced document must be issued; ${number ?? "this one"} is ${STATES[status]}.`,

  // ——— Cancelling, credit and receipts ———
  is_referenced_by: ({ number }: Numbered) => `${number} references this document; cancel it first.`,
  has_payments: "The document has payments; void them first.",
  room_for_credit: ({ room_cents, number }: Numbered & { room_cents: number }) =>
    `Only ${formatCents(room_cents)} EUR of ${number} can still be credited.`,
  room_for_receipt: ({ room_cents, number }: Numbered & { room_cents: number }) =>
    `Only ${formatCents(room_cents)} EUR of ${number} can still be acknowledged.`,
  credits_have_too_many_lines: ({ max }: { max: number }) =>
    `The credit notes on these documents have more than ${max} lines in all, too many to compare: name fewer documents at once.`,
  room_for_credit_at_rate: ({
    room_cents,
    number,
    credited_cents,
    rate_bps,
    names,
  }: Numbered & Credited & { rate_bps: number; names: readonly string[] }) =>
    `Only ${formatCents(room_cents)} EUR of ${number} at ${fromBps(rate_bps)} % can still be credited; ` +
    `this note has ${formatCents(credited_cents)} at that rate: ${names.join(", ")}.`,
  room_for_quantity: ({ number, name, room_micros, credited_micros }: Numbered & Returned) =>
    `Only ${fromMicros(room_micros)} of ${name} on ${number} can still be credited; this note has ${fromMicros(credited_micros)}.`,
  room_for_value: ({ number, name, room_cents, credited_cents }: Numbered & Credited & { name: string }) =>
    `Only ${formatCents(room_cents)} EUR without tax of ${name} on ${number} can still be credited; ` +
    `this note has ${formatCents(credited_cents)}.`,

  // ——— Payments ———
  takes_no_payments: ({ doc_type }: OfType) => `A document of type ${doc_type} takes no payments.`,
  training_takes_no_payments: "A training document takes no payments.",
  room_for_payment: ({ room_cents }: { room_cents: number }) =>
    `Only ${formatCents(room_cents)} EUR can still be paid.`,

  // ——— Webhooks ———
  no_such_webhook: "There is no such webhook.",
  no_such_delivery: "There is no such delivery; ended ones are kept for 30 days.",
  must_be_action: "must be *, document.*, document.issued or the like: an action of the events, or a kind of them",
  must_be_web_address: "must be the address of a web server, without login and without #",
  must_be_https: "must begin with https://",
  must_be_public_address: "must be a public address: webhooks are not sent to private networks",
  webhook_exists: "There is already a webhook to this address; change that one.",
  too_many_webhooks: ({ max }: { max: number }) => `A company has at most ${max} webhooks; delete one first.`,
  webhook_is_disabled: "The webhook is disabled; enable it first.",
  earlier_delivery_waits: "An earlier event of the same resource is to be delivered first.",

  // ——— Events ———
  no_such_event: ({ position, last }: { position: number; last: number }) =>
    `There is no event ${position} yet; the last is ${last}. If you read it before, this database is an older copy.`,

  // ——— Series ———
  series_exists: ({ doc_type, code }: OfType & { code: string }) =>
    `There is already a series ${doc_type} ${code}; closed ones count too.`,
  validation_code_is_taken: ({ validation_code, doc_type, code }: OfType & { validation_code: string; code: string }) =>
    `AT's code ${validation_code} is that of the series ${doc_type} ${code}; each series has its own, closed ones too.`,
  validation_code_is_fixed: "The validation code is fixed once the series has documents.",
  series_is_closed: ({ code }: { code: string }) => `The series ${code} is closed.`,
  series_of_other_certificate: ({ code, began_under, certificate_number }: OfCertificate) =>
    `The series ${code} has certificate number ${began_under}, but the installation now has ${certificate_number}; open a new series.`,
  series_lacks_validation_code: ({ doc_type, code }: OfType & { code: string }) =>
    `The series ${code} has no validation code. Set the one AT gives with PATCH /v1/series/{id}, or lacre series register "${doc_type} ${code}" CODE.`,
  series_is_at_date: ({ date }: { date: Day }) => `The series already has a document dated ${date}.`,
  series_is_ahead: ({ doc_type, code, date }: OfType & { code: string; date: Day }) =>
    `The series ${code} has a document dated ${date}, later than today: open a new one (lacre series create --doc-type ${doc_type} --code CODE) and issue there.`,

  // ——— An archive ———
  archive_is_none: "This is not an archive of Lacre.",
  archive_is_cut_off: "This archive is cut off: its end is missing. Copy it again, or take another.",
  archive_is_damaged: "This archive is damaged. Copy it again, or take another.",
  archive_was_changed: "This archive was changed after it was taken: its SHA-256 is of other content. Take another.",
  archive_is_bloated: "This is no archive that Lacre wrote: it unpacks to far more than it could hold.",
  archive_is_newer: ({ lacre }: { lacre: string }) =>
    `This archive was taken by a newer Lacre (${lacre}); this one is too old to read it.`,
  archive_is_of_other_build: ({ lacre }: { lacre: string }) =>
    `This archive was taken by another build of Lacre (${lacre}), with another schema; unarchive it with that build.`,
  archive_row_does_not_fit: ({ reason }: { reason: string }) =>
    `This archive holds a row that Lacre did not store (${reason}).`,
  archive_lacks_rows: ({ table, stated, found }: { table: string; stated: number; found: number }) =>
    `This archive states ${stated} rows of ${table} and holds ${found}.`,
  archive_ends_otherwise: ({ number }: { number: string }) =>
    `This archive states ${number} as the last of its series, and holds something else.`,
  archive_is_not_whole: ({ place, reason }: { place: string; reason: string }) =>
    `What this archive holds is not whole. ${place}: ${reason}`,
  database_is_not_empty: "The database is not empty: an archive is read into a new one.",

  // ——— A restored backup ———
  restored_numbers_unconfirmed: ({ numbers }: { numbers: readonly string[] }) =>
    "This is a restored backup: nothing is issued until the last number given out in each series is confirmed, which " +
    `may be past this file's, ${numbers.join(", ")}. Begin with lacre restore --status.`,
  nothing_to_confirm: "This is not a restored backup: there is nothing to confirm.",
  is_no_document_number: ({ number }: { number: string }) => `${number} is not a document number.`,
  series_is_spelled: ({ number, head }: { number: string; head: string }) =>
    `There is no series of ${number}, only that of ${head}: give the number as printed.`,
  series_are_unknown: ({ numbers }: { numbers: readonly string[] }) =>
    `This file has no series of ${numbers.join(", ")}: if opened after the backup, confirm that as lost.`,
  number_is_not_last: ({ number, last }: { number: string; last: string }) =>
    `${number} is not the last number: ${last} was given.`,
  series_is_confirmed: ({ number }: { number: string }) => `The series of ${number} is not locked.`,

  nothing_can_be_issued: ({ database_changed, numbers_unconfirmed, clock_behind }: Blocked) => {
    const reasons = [
      ...(database_changed > 0 ? ["the database was changed by something other than Lacre (lacre verify)"] : []),
      ...(numbers_unconfirmed > 0 ? ["numbers are unconfirmed after a restore (lacre restore --status)"] : []),
      ...(clock_behind > 0 ? ["the clock is behind the latest document (lacre clock confirm)"] : []),
    ];
    return `Nothing can be issued: ${reasons.join(", and ")}. Reading works.`;
  },

  // ——— The signing key and the certificate ———
  producer_is_incomplete: "is required: a producer has a name and a tax number",
  build_has_producer: ({ producer }: { producer: string }) =>
    `This build is that of ${producer}: its certificate number, producer and key come with it and do not change.`,
  database_was_changed: ({ place }: { place: string }) =>
    `The database was changed by something other than Lacre: ${place} is not as it was left. Nothing is issued until somebody answers for it: lacre verify.`,
  period_was_changed: ({ place }: { place: string }) =>
    `${place} is not as it was issued, so this file does not tell what was: see lacre verify.`,
  nothing_to_answer_for: "The database is as Lacre left it: there is nothing to answer for.",
  must_be_rehearsal_number: "must be 0, or 9999 to rehearse: any other number comes with the build of its producer",
  certificate_is_not_of_build: ({ certificate_number }: { certificate_number: number }) =>
    `Certificate number ${certificate_number} belongs to a producer's build, and this is not it: open the database with that build.`,
  key_is_not_producers: ({ producer }: { producer: string }) =>
    `This build signs with the key of ${producer} alone: open Lacre with it (--signing-key, or a signer), or import it.`,
  host_signs: "The host program signs: change the key there, not in the database.",
  key_is_known: ({ key_version }: { key_version: number }) =>
    `The signing key is already known, as version ${key_version}.`,
  key_version_is_past: ({ next }: { next: number }) => `Key versions only go up: the next is ${next}.`,
  key_is_elsewhere: ({ key_version }: { key_version: number }) =>
    `Signing key version ${key_version} is not in the database: open Lacre with it, or rotate it.`,
  key_version_is_taken: ({ key_version }: { key_version: number }) =>
    `Signing key version ${key_version} is already known with another public key.`,

  // ——— The storage ———
  writing_stopped: "Writing stopped after a storage error. Start the server again: that recovers the file.",
  is_closed: "Lacre was closed.",
  storage_busy: "The database is busy.",
  held_by_host: ({ pid, program, seconds }: { pid: number | null; program: string; seconds: number }) =>
    `A transaction of ${program === "lacre" ? "another program of Lacre" : "the host program"} has held this company ` +
    `for ${seconds} s${pid === null ? "" : `, pid ${pid}${program && ` (${program})`}`}; this change was not made. A ` +
    "call outside its own transaction would wait for itself.",
  held_by_another: ({ seconds }: { seconds: number }) =>
    `Another transaction, of the host program or of another one, has held what this change needs for ${seconds} s; it was ` +
    "not made. A call outside its own transaction would wait for itself.",
  host_took_too_long: ({ seconds }: { seconds: number }) =>
    `The transaction of the host program was undone: it had not ended after ${seconds} s, in which nobody else could write.`,
  host_transaction_lost:
    "The database ended the host program's transaction, as it and another were in each other's way: nothing of it is kept. " +
    "Roll it back, and do all of it again.",
  host_transaction_failed:
    "A statement of the host program's transaction failed before, so the database takes no more of it. Roll it back, and do " +
    "all of it again.",
  storage_full: "The disk is full; nothing was written. Make room on it and try again.",
  storage_broken: "The storage failed; whether a change was written is unknown. Retry with the same Idempotency-Key.",
  storage_lost:
    "The connection to the database ended; whether a change was written is unknown. Retry with the same Idempotency-Key.",
  storage_unusable: "The database cannot be used.",
  where_commands_are_typed: "Commands are typed on the machine Lacre runs on, with the --db that it serves.",
  storage_newer: "A newer Lacre has upgraded the database, and has to serve it now.",
  storage_not_ready: "The database is not ready.",
  too_many_waiting: "Too many changes are waiting; this one was not made. Retry with the same Idempotency-Key.",
  too_many_prints: "Too many documents of this company are waiting to be printed.",
  too_many_imports: "Too many files of this company are waiting to be imported.",
  too_many_exports: "Too many tax files of this company are waiting to be made.",
  too_many_files: "Too many files of this company are being read; read them to their end first.",
  too_many_under_way: "Too many requests are under way.",

  // ——— HTTP only ———
  not_same_origin: "This did not come from a page of this address, so it was not done.",
  host_not_known:
    "The server does not answer to this name. Whoever runs it can allow it with --allowed-host NAME, or name its " +
    "address with --public-url.",
  plain_http_refused:
    "This address is plain HTTP: anybody in the network could read the password. Use HTTPS (a proxy with TLS, named with " +
    "--trusted-proxy), open the page on the machine itself, or start with --plain-http-lan.",
  query_not_utf8: "The query string is not percent-encoded UTF-8.",
  takes_no_body: ({ method }: { method: string }) => `A ${method} takes no body.`,
  body_must_have_changes: "The body must be a JSON object with the fields to change.",
  body_must_be_object: "The body must be a JSON object.",
  body_cut_off: "The body was cut off.",
  body_read_before:
    "The program around Lacre read the body and did not pass it on; it must leave it unread, or in req.body.",
  body_not_utf8: "The body is not UTF-8.",
  body_not_json: ({ reason }: { reason: string }) => `The body is not JSON: ${reason}`,
  body_has_byte_order_mark: "The body begins with a byte order mark.",
  body_too_deep: ({ max }: { max: number }) => `The body is nested deeper than ${max} levels.`,
  body_has_too_many_members: ({ max }: { max: number }) => `The body has more than ${max} members.`,
  viewer_not_there: "The files of this page are not there: name them with the option viewer.",
  area_not_there: "The files of the company area are not there: name them with the option area.files.",
  not_well_formed_http: "The request is not well-formed HTTP.",
  headers_too_large: "The headers are larger than 16 KiB.",
  expects_something_else: "Expect can only be 100-continue.",
  not_a_proxy: "This is not a proxy.",
  target_must_be_path: "The target must be a path: this is not a proxy.",
  coding_not_supported: "The Transfer-Encoding can only be chunked, in HTTP/1.1.",
  version_not_supported: "The version must be HTTP/1.1 or HTTP/1.0.",
  host_must_be_one: "There must be exactly one Host header.",
  host_malformed: "The Host header is malformed.",
};

/** The table of a language: a text for every sentence, with the same values. */
export type Sentences = Readonly<typeof ENGLISH>;

/** The name of a sentence. */
export type SentenceName = keyof Sentences;

/** The arguments after a sentence's name: its values, or nothing where it has none. */
export type Values<Name extends SentenceName> = Sentences[Name] extends (values: infer V) => string ? [values: V] : [];

/** The sentences without values. */
export type PlainName = { [Name in SentenceName]: Sentences[Name] extends string ? Name : never }[SentenceName];

/** A sentence for any language: its name and, unless it is plain, its values. */
export type Sentence = {
  [Name in SentenceName]: { readonly name: Name; readonly values: Values<Name> extends [infer V] ? V : undefined };
}[SentenceName];

/** Names a sentence and gives its values. */
export function say<Name extends SentenceName>(name: Name, ...values: Values<Name>): Sentence {
  return { name, values: values[0] } as Sentence;
}

/** A sentence in the words of a language. */
export function render({ name, values }: Sentence, language: Sentences): string {
  const sentence = language[name];
  return typeof sentence === "string" ? sentence : sentence(values as never);
}

// ——— English words for values ———

/** The types a JSON value can be required to have. */
export type ValueType = keyof typeof TYPES;

const TYPES = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "a boolean",
  array: "a list",
  object: "an object",
  record: "an object",
};

const DEMANDED: Readonly<Record<Demand, string>> = {
  number_of_other_state: "the tax number of another EU state, and that state's ISO code as country",
  foreign_number: "a tax number of another country, and its ISO code as country",
  portuguese_number: "a Portuguese tax number (NIF)",
  outside_union: "the ISO code of a country outside the EU",
};

const SUBJECTS: Readonly<Record<Status, string>> = {
  draft: "A draft",
  issued: "An issued document",
  cancelled: "A cancelled document",
};

const STATES: Readonly<Record<Status, string>> = { draft: "a draft", issued: "issued", cancelled: "cancelled" };

const PARTICIPLES: Readonly<Record<Verb, string>> = {
  change: "changed",
  discard: "discarded",
  issue: "issued",
  cancel: "cancelled",
  pay: "paid",
  print: "printed",
};

/** `0, 6, 13 or 23`. */
function either(choices: readonly number[]): string {
  const [last, ...others] = choices.toReversed();
  return others.length > 0 ? `${others.toReversed().join(", ")} or ${last}` : String(last);
}
