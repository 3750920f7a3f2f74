import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { KEY_PATTERN, textOfError } from "lacre";
import { describe, expect, test } from "vitest";
import { STATUSES, VERBS, type Verb } from "../../../src/core/fiscal/lifecycle.ts";
import { formatCents } from "../../../src/core/fiscal/money.ts";
import { ERRORS, refuse, SENTENCES } from "../../../src/core/runtime/errors.ts";
import {
  ENGLISH,
  type PlainName,
  render,
  type Sentence,
  type SentenceName,
  type Sentences,
  say,
  type Values,
} from "../../../src/core/runtime/sentences.ts";
import { DATABASES } from "../../support/databases.ts";
import { day, instant } from "../../support/days.ts";
import { UNKNOWN_ID } from "../../support/drivers.ts";
import { ENGLISH_WORDS } from "../../support/english.ts";
import { anInvoice } from "../../support/factories.ts";
import { anInstance } from "../../support/instance.ts";
import { refusalOf } from "../../support/refusals.ts";

type FormattedName = Exclude<SentenceName, PlainName>;

/** Every sentence that has values, with some, and the English it becomes. */
const EXAMPLES: { readonly [Name in FormattedName]: readonly [Values<Name>[0], string] } = {
  is_for_types: [{ doc_type: "GT", allowed: ["FT", "RC"] }, "is for FT, RC, not for GT"],
  is_outside_cash_vat: [
    { code: "M16" },
    "names an operation that cash VAT leaves out (M16): issue it in a series outside that scheme",
  ],
  must_be_date_of_receipt: [
    { date: day("2026-11-21") },
    "must be the date of the receipt, 2026-11-21: under cash VAT both are of one day (DL 71/2013, 6/4)",
  ],
  must_be_split_as_invoiced: [
    {
      number: "FT 2026C/1",
      shares: [
        { rate_bps: 2300, cents: 6150 },
        { rate_bps: 600, cents: 4250 },
      ],
    },
    "must state of FT 2026C/1 what falls to each rate: 61.50 at 23 %, 42.50 at 6 %",
  ],
  company_exists: [
    { tax_id: "501964843" },
    "There is a company with the NIF 501964843 already; a second shop of it issues in series of its own there.",
  ],
  owns_most_companies: [{ max: 20 }, "An owner makes at most 20 companies here; the operator makes more."],
  held_by_host: [
    { pid: 1234, program: "shop", seconds: 41 },
    "A transaction of the host program has held this company for 41 s, pid 1234 (shop); this change was not made. A call outside its own transaction would wait for itself.",
  ],
  held_by_another: [
    { seconds: 10 },
    "Another transaction, of the host program or of another one, has held what this change needs for 10 s; it was not made. A call outside its own transaction would wait for itself.",
  ],
  host_took_too_long: [
    { seconds: 10 },
    "The transaction of the host program was undone: it had not ended after 10 s, in which nobody else could write.",
  ],
  must_be_of_type: [{ type: "array" }, "must be a list"],
  must_be_one_of: [{ values: ["P", "S"] }, "must be one of P, S"],
  and_more: [{ count: 7 }, "and 7 more"],
  has_too_many_items: [{ max: 1000 }, "must have at most 1000 items"],
  has_too_many_names: [{ max: 20 }, "must have at most 20 names"],
  has_too_many_characters: [{ max: 100 }, "must have at most 100 characters"],
  has_too_many_lines: [{ max: 50 }, "must have at most 50 lines"],
  must_be_at_least: [{ min: 0 }, "must be at least 0"],
  must_be_more_than: [{ above: 0 }, "must be more than 0"],
  must_be_at_most: [{ max: 100 }, "must be at most 100"],
  must_be_whole_number: [{ min: 1, max: 200 }, "must be a whole number from 1 to 200"],
  has_too_many_digits: [
    { max: 15, decimals: 6 },
    "must have at most 15 significant digits: round what was computed to at most 6 decimals",
  ],
  has_too_many_decimals: [{ max: 2 }, "must have at most 2 decimals"],
  must_be_on_or_after: [{ date: day("2026-11-21") }, "must be 2026-11-21 or later"],
  must_be_in_year: [{ year: "2026" }, "must be in 2026: a file covers one year"],
  must_be_rsa_key: [{ bits: 1024 }, "must be RSA of 1024 bits"],
  file_is_not_saft: [
    { root: "html" },
    "This is not a SAF-T (PT) file: its root is html, not AuditFile of urn:OECD:StandardAuditFile-Tax:PT_1.04_01.",
  ],
  file_is_other_saft: [{ version: "PT_1.03_01" }, "This file is SAF-T PT_1.03_01; only PT_1.04_01 is supported."],
  file_not_readable: [
    { reason: "Line 1, column 1: An element is open at the end of the file." },
    "Line 1, column 1: An element is open at the end of the file.",
  ],
  archive_is_newer: [
    { lacre: "0.9.0" },
    "This archive was taken by a newer Lacre (0.9.0); this one is too old to read it.",
  ],
  archive_is_of_other_build: [
    { lacre: "0.1.0" },
    "This archive was taken by another build of Lacre (0.1.0), with another schema; unarchive it with that build.",
  ],
  archive_row_does_not_fit: [
    { reason: "FOREIGN KEY constraint failed" },
    "This archive holds a row that Lacre did not store (FOREIGN KEY constraint failed).",
  ],
  archive_lacks_rows: [
    { table: "customers", stated: 3, found: 2 },
    "This archive states 3 rows of customers and holds 2.",
  ],
  archive_ends_otherwise: [
    { number: "FT 2026A/17" },
    "This archive states FT 2026A/17 as the last of its series, and holds something else.",
  ],
  archive_is_not_whole: [
    { place: "FT 2026A/3", reason: "The hash is not that of the document." },
    "What this archive holds is not whole. FT 2026A/3: The hash is not that of the document.",
  ],
  company_tax_id_is_fixed: [
    { tax_id: "500000000" },
    "Documents were issued under the tax number 500000000: it is fixed. Another taxpayer is another company.",
  ],
  lacks_scope: [{ scope: "series:write" }, "The API key lacks the scope series:write."],
  role_lacks_permission: [{ permission: "keys:manage" }, "Your role does not allow this (keys:manage)."],
  password_too_short: [{ min: 10 }, "must have at least 10 characters"],
  must_be_invited_login: [{ login: "ana@loja.pt" }, "must be ana@loja.pt, whom the link is for"],
  login_is_taken: [{ login: "ana@loja.pt" }, "The user ana@loja.pt was changed at this moment: open the link again."],
  takes_no_if_match: [{ operation_id: "createApiKey" }, "createApiKey takes no If-Match."],
  takes_no_idempotency_key: [{ operation_id: "createApiKey" }, "createApiKey takes no Idempotency-Key."],
  names_other_series_type: [{ series_type: "FT", doc_type: "NC" }, "is a series for FT, not NC"],
  takes_no_payment_at_issue: [{ doc_type: "GT" }, "a document of type GT is not paid at issue"],
  takes_no_supply_date: [{ doc_type: "RC" }, "a document of type RC has no date of supply"],
  must_be_products_type: [{ type: "S" }, "must be S, the product's type"],
  total_is_too_large: [{ max_cents: 123_450 }, "the total must be at most 1234.5"],
  status_forbids: [{ verb: "pay", status: "draft" }, "A draft cannot be paid."],
  is_after_today: [{ today: day("2026-11-21") }, "is later than today, 2026-11-21"],
  is_before_series: [
    { code: "2026A", began: day("2026-11-20") },
    "the series 2026A was registered on 2026-11-20: no document is dated before (Decreto-Lei 28/2019, 35)",
  ],
  company_lacks_address: [
    { fields: ["address", "postal_code"] },
    "The company has no address, postal_code: its documents show them (CIVA, article 36/5). Set them with lacre company set --address TEXT --postal-code TEXT.",
  ],
  customer_lacks_address: [
    { fields: ["address", "city"], doc_type: "FT", above_cents: 100_000 },
    "The customer has no address, city: a document of type FT above 1000.00 EUR shows them (CIVA, article 36/5). Set them with PATCH /v1/customers/{id}, or invoice a customer named Consumidor final.",
  ],
  is_required_on_type: [{ doc_type: "NC" }, "is required on NC: name in document_id each document it is about"],
  total_exceeds_type: [
    { doc_type: "FS", max_cents: 100_000, gross_cents: 100_001 },
    "a document of type FS is at most 1000.00 EUR, this one is 1000.01",
  ],
  payments_exceed_total: [
    { paid_cents: 12_301, gross_cents: 12_300 },
    "The payments sum to 123.01, the document's total is 123.",
  ],
  clock_is_behind: [
    { latest: instant("2026-11-21T10:31:07.482Z") },
    "Nothing is issued while the clock is behind the latest document (2026-11-21T10:31:07.482Z). Set the clock; if it is right, confirm it (lacre clock confirm).",
  ],
  clock_is_unconfirmed: [
    { now: instant("2027-11-21T10:00:00.000Z"), since: instant("2026-11-21T10:31:07.482Z") },
    "By this clock (2027-11-21T10:00:00.000Z), nothing was issued for more than 60 days (since 2026-11-21T10:31:07.482Z). If it is wrong, set it; if it is right, confirm it: in the company area, or lacre clock confirm.",
  ],
  takes_no_exemption: [{ rate_bps: 2300 }, "must not be set at 23 %"],
  exemption_not_in_force: [{ code: "M03", date: day("2026-11-21") }, "M03 is not in force on 2026-11-21"],
  must_be_lawful_rate: [
    { rates_bps: [0, 600, 1300, 2300], region: "PT", date: day("2026-11-21") },
    "must be 0, 6, 13 or 23 % (PT, 2026-11-21)",
  ],
  takes_no_transport: [{ doc_type: "FT" }, "a document of type FT has no transport"],
  takes_no_transport_code: [{ doc_type: "FT" }, "A document of type FT has no transport code."],
  has_transport_code: [{ at_doc_code: "AT1" }, "The document already has the transport code AT1."],
  transport_has_begun: [
    { start_at: instant("2026-11-21T10:00:00.000Z") },
    "The transport began at 2026-11-21T10:00:00.000Z; with a transport code, the document can no longer be cancelled.",
  ],
  references_nothing: [{ doc_type: "OR" }, "a document of type OR has no references"],
  may_not_reference: [
    { doc_type: "NC", referenced: "RC", allowed: ["FT", "FS"] },
    "is of type RC; NC may reference FT, FS",
  ],
  differs_in_training: [{ training: true }, "is a training document, this one is not"],
  must_be_corrected_rate: [{ rates_bps: [600, 2300] }, "must be that of the line it corrects, 6 or 23 %"],
  needs_corrected_line: [
    { number: "FT 2026A/1" },
    "is required: the line names no product of FT 2026A/1; give the number of the line it corrects there, from 1",
  ],
  name_too_many_lines: [
    { max: 20_000 },
    "the documents have more than 20000 lines in all: name fewer of them in one document",
  ],
  amounts_differ_from_total: [
    { amounts_cents: 14_999, gross_cents: 15_000 },
    "amounts sum to 149.99, the document's total is 150",
  ],
  must_be_what_lines_come_to: [{ gross_cents: 1230 }, "must be the sum of its lines, 12.3"],
  reference_must_be_issued: [
    { number: null, status: "draft" },
    "A referenced document must be issued; this one is a draft.",
  ],
  is_referenced_by: [{ number: "NC 2026A/1" }, "NC 2026A/1 references this document; cancel it first."],
  room_for_credit: [{ room_cents: 50, number: "FT 2026A/1" }, "Only 0.50 EUR of FT 2026A/1 can still be credited."],
  room_for_receipt: [{ room_cents: 0, number: "FT 2026A/1" }, "Only 0.00 EUR of FT 2026A/1 can still be acknowledged."],
  credits_have_too_many_lines: [
    { max: 20_000 },
    "The credit notes on these documents have more than 20000 lines in all, too many to compare: name fewer documents at once.",
  ],
  room_for_credit_at_rate: [
    { number: "FT 2026A/1", room_cents: 4920, credited_cents: 4921, rate_bps: 2300, names: ["Pão", "Vinho"] },
    "Only 49.20 EUR of FT 2026A/1 at 23 % can still be credited; this note has 49.21 at that rate: Pão, Vinho.",
  ],
  room_for_quantity: [
    { number: "FT 2026A/1", name: "Pão", room_micros: 3_000_000, credited_micros: 3_500_000 },
    "Only 3 of Pão on FT 2026A/1 can still be credited; this note has 3.5.",
  ],
  room_for_value: [
    { number: "FT 2026A/1", name: "Pão", room_cents: 100, credited_cents: 10_000 },
    "Only 1.00 EUR without tax of Pão on FT 2026A/1 can still be credited; this note has 100.00.",
  ],
  is_before_what_it_pays: [
    { date: day("2026-11-20") },
    "is before 2026-11-20, the day of what it pays: money received in advance has an invoice of its own",
  ],
  is_out_of_time: [
    { issue_date: day("2026-11-24") },
    "is more than four years before 2026-11-24: no tax is assessed any more on what was supplied then (LGT, article 45)",
  ],
  must_come_to_total: [
    { doc_type: "FR", paid_cents: 12_000, gross_cents: 14_760 },
    "must come to the total of the FR, 147.6: they come to 120",
  ],
  exemption_demands: [
    { code: "M30", demand: "portuguese_number" },
    "M30 is not for this customer, who needs a Portuguese tax number (NIF)",
  ],
  takes_no_payments: [{ doc_type: "GT" }, "A document of type GT takes no payments."],
  room_for_payment: [{ room_cents: 5709 }, "Only 57.09 EUR can still be paid."],
  no_such_event: [
    { position: 12, last: 9 },
    "There is no event 12 yet; the last is 9. If you read it before, this database is an older copy.",
  ],
  too_many_webhooks: [{ max: 20 }, "A company has at most 20 webhooks; delete one first."],
  series_exists: [{ doc_type: "FT", code: "LOJA" }, "There is already a series FT LOJA; closed ones count too."],
  validation_code_is_taken: [
    { validation_code: "CSDF7T5H", doc_type: "FT", code: "LOJA" },
    "AT's code CSDF7T5H is that of the series FT LOJA; each series has its own, closed ones too.",
  ],
  build_has_producer: [
    { producer: "Oficina, Lda." },
    "This build is that of Oficina, Lda.: its certificate number, producer and key come with it and do not change.",
  ],
  database_was_changed: [
    { place: "FT 2026A/3" },
    "The database was changed by something other than Lacre: FT 2026A/3 is not as it was left. Nothing is issued until somebody answers for it: lacre verify.",
  ],
  period_was_changed: [
    { place: "FT 2026A/3" },
    "FT 2026A/3 is not as it was issued, so this file does not tell what was: see lacre verify.",
  ],
  certificate_is_not_of_build: [
    { certificate_number: 1234 },
    "Certificate number 1234 belongs to a producer's build, and this is not it: open the database with that build.",
  ],
  key_is_not_producers: [
    { producer: "Oficina, Lda." },
    "This build signs with the key of Oficina, Lda. alone: open Lacre with it (--signing-key, or a signer), or import it.",
  ],
  series_is_closed: [{ code: "LOJA" }, "The series LOJA is closed."],
  series_of_other_certificate: [
    { code: "LOJA", began_under: 0, certificate_number: 1234 },
    "The series LOJA has certificate number 0, but the installation now has 1234; open a new series.",
  ],
  series_lacks_validation_code: [
    { doc_type: "FT", code: "LOJA" },
    'The series LOJA has no validation code. Set the one AT gives with PATCH /v1/series/{id}, or lacre series register "FT LOJA" CODE.',
  ],
  series_is_ahead: [
    { doc_type: "FT", code: "2026A", date: day("2027-01-02") },
    "The series 2026A has a document dated 2027-01-02, later than today: open a new one (lacre series create --doc-type FT --code CODE) and issue there.",
  ],
  excludes_field: [{ field: "unit_price_net" }, "must not be sent with unit_price_net"],
  needs_field: [{ field: "current" }, "is only taken together with current"],
  no_current_series: [
    { doc_type: "FT", year: 2027, codes: ["2026A", "2025B"] },
    "No series takes FT of 2027; active ones are 2026A, 2025B. Open one (lacre series open).",
  ],
  nothing_can_be_issued: [
    { database_changed: 0, numbers_unconfirmed: 2, clock_behind: 1 },
    "Nothing can be issued: numbers are unconfirmed after a restore (lacre restore --status), and the clock is behind the latest document (lacre clock confirm). Reading works.",
  ],
  series_is_at_date: [{ date: day("2026-11-21") }, "The series already has a document dated 2026-11-21."],
  restored_numbers_unconfirmed: [
    { numbers: ["FT 2026A/7", "NC 2026A/2"] },
    "This is a restored backup: nothing is issued until the last number given out in each series is confirmed, which may be past this file's, FT 2026A/7, NC 2026A/2. Begin with lacre restore --status.",
  ],
  is_no_document_number: [{ number: "XX 1" }, "XX 1 is not a document number."],
  series_is_spelled: [
    { number: "FT 2026a/1", head: "FT 2026A/3" },
    "There is no series of FT 2026a/1, only that of FT 2026A/3: give the number as printed.",
  ],
  series_are_unknown: [
    { numbers: ["FT 2026Z/3", "FS LOJA/1"] },
    "This file has no series of FT 2026Z/3, FS LOJA/1: if opened after the backup, confirm that as lost.",
  ],
  number_is_not_last: [
    { number: "FT 2026A/3", last: "FT 2026A/17" },
    "FT 2026A/3 is not the last number: FT 2026A/17 was given.",
  ],
  series_is_confirmed: [{ number: "FT 2026A/7" }, "The series of FT 2026A/7 is not locked."],
  key_version_is_past: [{ next: 6 }, "Key versions only go up: the next is 6."],
  key_is_elsewhere: [
    { key_version: 2 },
    "Signing key version 2 is not in the database: open Lacre with it, or rotate it.",
  ],
  key_version_is_taken: [{ key_version: 2 }, "Signing key version 2 is already known with another public key."],
  key_is_known: [{ key_version: 2 }, "The signing key is already known, as version 2."],
  takes_no_body: [{ method: "GET" }, "A GET takes no body."],
  body_not_json: [{ reason: "Unexpected end of JSON input" }, "The body is not JSON: Unexpected end of JSON input"],
  body_too_deep: [{ max: 32 }, "The body is nested deeper than 32 levels."],
  file_has_too_many_records: [
    { records: 20_000, characters: 3_000_000 },
    "This file has more than 20000 customers and products, or more than 3000000 characters in them: lacre import-saft takes it, at the server.",
  ],
  body_has_too_many_members: [{ max: 20_000 }, "The body has more than 20000 members."],
};

describe("in English", () => {
  test.each(Object.entries(EXAMPLES))("%s becomes a text", (name, [values, text]) => {
    expect(render({ name, values } as Sentence, ENGLISH)).toBe(text);
  });

  test("a sentence without values is its text", () => {
    expect(render(say("no_such_customer"), ENGLISH)).toBe("There is no such customer.");
  });

  test("a sentence ends with a full stop, and what follows a path does not", () => {
    const texts = [...Object.values(ENGLISH), ...Object.values(EXAMPLES).map(([, text]) => text)];
    const plain = texts.filter((text) => typeof text === "string" && !text.startsWith("The body is not JSON:"));
    expect(plain.filter((text) => /^[A-Z]/.test(text as string) !== (text as string).endsWith("."))).toEqual([
      EXAMPLES.takes_no_if_match[1], // they begin with the operation's id
      EXAMPLES.takes_no_idempotency_key[1],
      EXAMPLES.exemption_not_in_force[1], // and these with a code
      EXAMPLES.exemption_demands[1],
    ]);
  });

  test("each forbidden step of a document has its text", () => {
    const forbidden = (Object.keys(VERBS) as Verb[]).flatMap((verb) =>
      STATUSES.filter((status) => !(VERBS[verb] as readonly string[]).includes(status)).map((status) =>
        render(say("status_forbids", { verb, status }), ENGLISH),
      ),
    );
    expect(forbidden).toEqual([
      "An issued document cannot be changed.",
      "A cancelled document cannot be changed.",
      "An issued document cannot be discarded.",
      "A cancelled document cannot be discarded.",
      "An issued document cannot be issued.",
      "A cancelled document cannot be issued.",
      "A draft cannot be cancelled.",
      "A cancelled document cannot be cancelled.",
      "A draft cannot be paid.",
      "A cancelled document cannot be paid.",
      "A draft cannot be printed.",
    ]);
  });

  test("every sentence is used, and each code has its own", () => {
    const src = fileURLToPath(new URL("../../../src", import.meta.url));
    const code = readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !/sentences(?:-pt)?\.ts$/.test(path))
      .map((path) => readFileSync(join(src, path), "utf8"))
      .join("\n");
    const isUsed = (name: string) =>
      new RegExp(`["\`]${name}["\`]|^ {2}${name}: `, "m").test(code) ||
      (name.startsWith("storage_") && code.includes("`storage_${"));
    expect(Object.keys(ENGLISH).filter((name) => !isUsed(name))).toEqual([]);
    expect(Object.keys(ERRORS).filter((name) => !(name in ENGLISH))).toEqual([]);
  });
});

// ——— Portuguese ———

/** Each sentence in both languages, with the same values. */
const PAIRS = (Object.keys(ENGLISH) as SentenceName[]).map((name) => {
  const values = (EXAMPLES as Record<string, readonly [unknown, string] | undefined>)[name]?.[0];
  const sentence = { name, values } as Sentence;
  return { name, values, english: render(sentence, SENTENCES.en), portuguese: render(sentence, SENTENCES.pt) };
});

/** What is quoted in Portuguese as it came, in English: words of the JSON parser and of the XML parser. */
const QUOTED = /«[^»]*»/g;

/** Values that Portuguese tells in words instead. */
const WORDED = ["array", "pay", "draft", "address", "postal_code", "city", "null", "portuguese_number"];

/** The values of a sentence as each language may write them, without the separators of digits. */
function* shownForms(value: unknown): Generator<string[]> {
  if (Array.isArray(value)) for (const one of value) yield* shownForms(one);
  else if (typeof value === "object" && value !== null) yield* shownForms(Object.values(value));
  else if (typeof value === "number") {
    yield [value, value / 100, value / 1e6, (value / 100).toFixed(2)].map((form) => String(form).replace(".", ","));
  } else if (/^\d{4}-\d\d-\d\dT/.test(String(value))) {
    yield [`${String(value).slice(0, 10).split("-").reverse().join("-")} às ${String(value).slice(11, 19)} UTC`];
  } else if (/^\d{4}-\d\d-\d\d$/.test(String(value))) yield [String(value).split("-").reverse().join("-")];
  else yield [String(value)];
}

const compact = (text: string) => text.replace(/(?<=\d)\u00a0(?=\d)/g, "");

describe("in Portuguese", () => {
  test.each(PAIRS)("$name has no English, and no placeholder left", ({ portuguese }) => {
    const text = portuguese.replace(QUOTED, "");
    expect(text).not.toMatch(ENGLISH_WORDS);
    expect(text).not.toMatch(/undefined|null|NaN|\$\{|\[object/);
    expect(portuguese.trim()).toBe(portuguese);
  });

  test("any English sentence would be found", () => {
    const missed = PAIRS.filter(({ english }) => !ENGLISH_WORDS.test(english)).map(({ name }) => name);
    expect(missed).toEqual([]);
  });

  test.each(PAIRS.filter(({ values }) => values))("$name shows every value", ({ values, portuguese, name }) => {
    const text = compact(portuguese);
    for (const [key, value] of Object.entries(values as object)) {
      if (name === "nothing_can_be_issued" || name === "differs_in_training") continue; // They choose between words.
      for (const forms of shownForms(value)) {
        if (forms.some((form) => WORDED.includes(form))) continue;
        expect(
          forms.some((form) => text.includes(form)),
          `${key} in ${text}`,
        ).toBe(true);
      }
    }
  });

  test("every sentence differs from the English one", () => {
    expect(PAIRS.filter(({ english, portuguese }) => english === portuguese)).toEqual([]);
  });

  test("a sentence ends with a full stop if the English one does", () => {
    const ends = (text: string) => text.replace(QUOTED, "").trim().endsWith(".");
    const other = PAIRS.filter(({ english, portuguese }) => ends(english) !== ends(portuguese)).map(({ name }) => name);
    expect(other).toEqual(["file_not_readable"]); // It quotes the sentence.
  });

  test("each forbidden step of a document has its text", () => {
    const texts = (Object.keys(VERBS) as Verb[]).flatMap((verb) =>
      STATUSES.map((status) => render(say("status_forbids", { verb, status }), SENTENCES.pt)),
    );
    expect(texts).toContain("Um rascunho não pode ser pago.");
    expect(texts).toContain("Um documento emitido não pode ser alterado.");
    expect(new Set(texts).size).toBe(Object.keys(VERBS).length * STATUSES.length);
  });

  test.each<[Sentence, string]>([
    [say("room_for_payment", { room_cents: 8565 }), "Só falta pagar 85,65\u00a0€."],
    [say("room_for_payment", { room_cents: 123_456_789 }), "Só falta pagar 1\u00a0234\u00a0567,89\u00a0€."],
    [say("takes_no_exemption", { rate_bps: 2300 }), "não pode ser indicado a 23\u00a0%"],
    [say("takes_no_exemption", { rate_bps: 650 }), "não pode ser indicado a 6,5\u00a0%"],
    [
      say("must_be_lawful_rate", { rates_bps: [0, 600, 1300, 2300], region: "PT", date: day("2026-11-21") }),
      "tem de ser 0, 6, 13 ou 23\u00a0% (PT, 21-11-2026)",
    ],
    [say("must_be_corrected_rate", { rates_bps: [600] }), "tem de ser a da linha que corrige, 6\u00a0%"],
    [say("must_be_at_least", { min: -1.5 }), "não pode ser menor do que -1,5"],
    [say("has_too_many_lines", { max: 20_000 }), "não pode ter mais de 20\u00a0000 linhas"],
    [say("has_too_many_items", { max: 1 }), "não pode ter mais de 1 elemento"],
    [
      say("company_lacks_address", { fields: ["address", "postal_code", "city"] }),
      "Falta à empresa a morada, o código postal e a localidade, que os documentos têm de mostrar (CIVA, artigo 36.º, " +
        "n.º 5). Indique com lacre company set --address TEXTO --postal-code TEXTO --city TEXTO.",
    ],
    [
      say("clock_is_behind", { latest: instant("2026-11-21T10:31:07.482Z") }),
      "O relógio está atrasado em relação ao último documento (21-11-2026 às 10:31:07 UTC): até lá, nada se emite. " +
        "Acerte o relógio; se estiver certo, confirme-o (lacre clock confirm).",
    ],
    [
      say("clock_is_unconfirmed", {
        now: instant("2027-11-21T10:00:00.000Z"),
        since: instant("2026-11-21T10:31:07.482Z"),
      }),
      "Segundo este relógio (21-11-2027 às 10:00:00 UTC), há mais de 60 dias que não se emite nada (desde 21-11-2026 às " +
        "10:31:07 UTC). Se estiver errado, acerte-o; se estiver certo, confirme-o na área da empresa ou com lacre clock " +
        "confirm.",
    ],
    [
      say("no_current_series", { doc_type: "FT", year: 2027, codes: [] }),
      "Nenhuma série aceita FT de 2027; não há nenhuma ativa. Abra uma (lacre series open).",
    ],
  ])("numbers, money, dates and lists: %#", (sentence, text) => {
    expect(render(sentence, SENTENCES.pt)).toBe(text);
  });

  test("commands, flags and requests have the same names as in English", () => {
    const NAMED = /lacre [a-z]+(?: [a-z]+)?|--[a-z-]+|[A-Z]{3,5} \/v1[\w/{}]*/g;
    const named = (text: string) => Array.from(text.matchAll(NAMED), ([one]) => one).sort();
    for (const { english, portuguese } of PAIRS) expect(named(portuguese)).toEqual(named(english));
    expect(PAIRS.flatMap(({ english }) => named(english)).length).toBeGreaterThan(15);
  });
});

describe.each(DATABASES)("a refusal over $name", (driver) => {
  test("is English in its message, and says the same in Portuguese", async () => {
    const { lacre, company } = await anInstance(driver);
    const none = await refusalOf(company.customers.get({ id: UNKNOWN_ID }));
    expect(none.message).toBe("There is no such customer.");
    expect(textOfError(none, "en")).toBe(none.message);
    expect(textOfError(none, "pt")).toBe("Esse cliente não existe.");
    const nobody = await refusalOf(lacre.authenticate("not a key"));
    expect(KEY_PATTERN.test("not a key")).toBe(false);
    expect(textOfError(nobody, "pt")).toBe("A chave da API falta, não é válida ou foi revogada.");
  });

  test("keeps its values raw, and each language formats them", async () => {
    const instance = await anInstance(driver);
    const { id } = await anInvoice(instance);
    const payment = { id, amount: 1000, method_code: "TB", payment_date: "2026-11-21" } as const;
    const { outstanding } = await instance.company.documents.get({ id });
    const refusal = await refusalOf(instance.company.payments.record(payment));
    const room_cents = Math.round((outstanding as number) * 100);
    expect(refusal.problems).toEqual([{ path: "", name: "room_for_payment", values: { room_cents } }]);
    expect(refusal.message).toBe(`Only ${formatCents(room_cents)} EUR can still be paid.`);
    expect(textOfError(refusal, "pt")).toBe(`Só falta pagar ${formatCents(room_cents).replace(".", ",")}\u00a0€.`);
  });

  test("of an input keeps the names of fields in every language", async () => {
    const { company } = await anInstance(driver);
    const wrong = { name: "x".repeat(201), nome: "Ana", email: "a@example.com" };
    const refusal = await refusalOf(company.customers.create(wrong as never));
    expect(refusal.message).toBe("name: must have at most 200 characters; nome: is not a known field");
    expect(textOfError(refusal, "pt")).toBe(
      "name: não pode ter mais de 200 caracteres; nome: não é um campo conhecido",
    );
  });
});

test("an unknown sentence or wrong values do not compile", () => {
  const { no_such_customer: _, ...others } = ENGLISH;
  // @ts-expect-error a language lacks no sentence
  const incomplete: Sentences = others;
  // @ts-expect-error a language asks for no value that English is not given
  const demanding: Sentences = { ...ENGLISH, takes_no_payments: ({ number }: { number: string }) => number };
  const calls = [
    // @ts-expect-error a refusal names a sentence
    () => refuse("not_found", "There is no such thing."),
    // @ts-expect-error with its values
    () => refuse("invalid_state", "takes_no_payments"),
    // @ts-expect-error of their types
    () => refuse("payment_exceeds_balance", "room_for_payment", { room_cents: "57.09" }),
    // @ts-expect-error and with none where it has none
    () => refuse("not_found", "no_such_customer", { id: UNKNOWN_ID }),
  ];
  expect([incomplete, demanding, ...calls]).toHaveLength(6);
});
