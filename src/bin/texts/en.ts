/** What the program says in English; pt.ts says the same in Portuguese. Names of commands, flags and files stay. */
import { STORAGE_SENTENCES } from "../../core/database/storage-error.ts";
import { DOC_TYPES, PERMISSIONS, type SaftExportReport, type SaftImport } from "../../core/index.ts";
import type { Lang } from "../../core/texts/languages.ts";

export type ImportNote = SaftImport["notes"][number];
export type SaftWarningCode = SaftExportReport["warnings"][number]["code"];

/** `1 document`, `2 documents`. */
const counted = (count: number, noun: string, several = `${noun}s`) => `${count} ${count === 1 ? noun : several}`;
const documents = (count: number) => counted(count, "document");

const taken = (what: string, dry_run: boolean, existing: number, unusable: number) =>
  `${what} ${dry_run ? "to create" : "created"}, ${existing} existed already, ${unusable} not usable.`;

/** How the tax file of a month, `2026-10`, is delivered. */
const deliver = (month: string) =>
  `Write it (lacre saft --year ${month.slice(0, 4)} --month ${Number(month.slice(5, 7))}), deliver it on AT's site, then ` +
  "mark the month in the company area";

export const EN = {
  lang: "en" as Lang,

  // ——— The help ———
  help: {
    title: "Lacre: invoicing for Portugal.",
    every_command: "Every command has --help.",
    flags: "[flags]",
    this_text: "this text",
    language: "the language of texts: pt or en; by default that of LC_ALL, LC_MESSAGES or LANG",
    required: "required",
    fallback: (value: string) => `default ${value}`,
    exit_codes: "Exit codes:",
  },

  exits: {
    done: "done",
    failed: "a bug in Lacre, or a failure of the machine, such as a full disk",
    usage: "the command line or a LACRE_ variable is wrong",
    refused: "refused; the line on standard error tells why",
    not_whole: "a series or file is damaged, changed or incomplete",
    unusable:
      "the database is missing, damaged, not Lacre's, newer than this program, read-only, or its server not to be used",
    in_use: "the database is busy, or a server is using it",
    no_address: "the host and port cannot be used",
    halted: "the server stopped after a storage failure; start it again to recover",
    waiting: "something waits for you (status --check)",
  },

  /** Each command: a sentence, and more text for its `--help`, wrapped by hand at 120 characters. */
  commands: {
    demo: {
      summary: "issues an invoice in memory, shows it, a key and commands to try; keeps serving",
      details: `\
Nothing is kept: the documents are gone when the demo ends. Ctrl+C ends it.
With --json: one object with the url, the API key, the company and the invoice.`,
    },
    init: {
      summary: "creates the database, the company, its series and the first key",
      details: `\
The API key has every scope and is shown only once. An existing database is never overwritten.
The signing key is made and kept in the database, unless --signing-key names a file that holds one.`,
    },
    serve: {
      summary: "serves the API; logs JSON lines to standard output",
      details: `\
It answers the API, and at /area the pages that people work with. While there is no user it makes a link by which the
first owner comes in: at a terminal it shows the link, elsewhere it leaves it in a file beside the database that only
its user can read, and logs the name of that file. With --new it makes the database first, which then has no company
yet: a person sets it up in the browser. --new is for the first start alone and is refused where there is a database.
Each request logs one line.
On SIGTERM, SIGINT or, from a terminal that closes, SIGHUP running requests finish, the database is closed, and the
server exits with 0 within 10 s; a second SIGTERM or SIGINT ends it at once (exit 143 or 130). The log is JSON with and
without --json, which makes the last line on standard error JSON too. All other commands except restore work while it
runs. At a terminal it logs nothing, and says what a person should know.
Where a proxy with HTTPS is in front, give --public-url: links, pages and cookies follow it. A request by a name that is
neither that one, nor an address, nor one of the network without a dot or below .local, nor given with --allowed-host,
is refused, so that no page elsewhere can reach the server through the browser of somebody here.
With --backup-to it takes verified backups in a process of its own, the first at once if the last is older than the
interval. It deletes only backups that it took of this database, and never the latest. Under a certificate number it
needs that, or --no-backup-because: the reason is recorded, and lacre status shows it.
It sends events to the webhooks of each company. On a copy of a database give --no-webhooks, or it sends what the copy
still has to send.`,
    },
    status: {
      summary: "shows what waits for you, the last backup, certification, versions, and where everything is",
      details: `\
Works beside a running server and without one, and changes nothing. With --json for programs: "waiting" is empty when
nothing waits. With --check, for a timer: it ends with 9 while something waits.`,
    },
    "company create": {
      summary: "adds a company with one series per document type",
      details: "It needs a key of its own: lacre key create --company ID.",
    },
    "company show": { summary: "shows a company's details", details: "" },
    "company set": {
      summary: "changes a company's details",
      details: `\
Only the flags given change anything. An empty text clears address, postal code, city, exemption code, footer or
logo. Issued documents keep the details they were issued with, but are printed with the current footer and logo. The tax
number is fixed once a document that is not for training was issued: another taxpayer is another company.`,
    },
    "key create": { summary: "creates an API key; its value is shown only once", details: "" },
    "key list": { summary: "lists a company's keys, newest first, including revoked ones", details: "" },
    "key revoke": {
      summary: "revokes a key for good; a running server refuses it from the next request on",
      details: "",
    },
    "user invite": {
      summary: "makes a link by which a person becomes a user; it is shown only once",
      details: `\
--role owner makes an owner of every company, with or without --login. The other roles are in one company and need
--login, the e-mail address of the person. Whoever has the link can use it: give it to that person alone.`,
    },
    "user list": {
      summary: "lists the users with their companies and roles, oldest first, including disabled ones",
      details: "",
    },
    "user reset": {
      summary: "makes a link by which a user chooses a new password, and enables a disabled one",
      details: "",
    },
    "user disable": { summary: "disables a user; the sessions of that person end at once", details: "" },
    "series list": { summary: "lists a company's series, oldest first", details: "" },
    "series create": { summary: "opens a series", details: "" },
    "series open": {
      summary: "opens the series of a year, 2027A after 2026A, for every type in use",
      details: `\
A type is in use when an active series of an earlier year has documents or a validation code; while none is in use,
every type is opened. What is there already is named and left as it is. A code is of a year when it names one, from 2022
on, with no digit beside it: 2026A, LOJA2-2026. A series of no year goes on and needs no other.`,
    },
    "series register": {
      summary: "sets the validation code AT assigned to a series, before its first document",
      details: 'SERIES is its name as in lacre series list, in quotes ("FT 2026A"), or its id.',
    },
    "series close": {
      summary: "closes a series for good",
      details: `\
SERIES is its name as in lacre series list, in quotes ("FT 2026A"), or its id.
Closing is final, and counts from the next document on. It asks first; where nobody can answer, give --yes.`,
    },
    "signer show": {
      summary: "prints certificate number, key version, public key and producer as JSON",
      details: `\
The program's producer hands this public key to the tax authority (AT), under this key version.
The private key is never shown.`,
    },
    "signer set": {
      summary: "switches the rehearsal of strict mode on or off, and names the producer",
      details: `\
AT certifies a program and gives the number to its producer: it comes with the producer's build of Lacre and in no
other way. This build has no number of its own. With 9999 it rehearses: a document that lacks anything the law requires
is refused, and every page says that it is a rehearsal. 0 ends that. A series with documents under another number
accepts no more; open a new one (lacre series create). Issued documents stay as they are.
Only the flags given change anything. Empty texts for both producer flags remove the producer.`,
    },
    "signer rotate": {
      summary: "makes a new key under the next version; a running server uses it from the next document on",
      details: `\
Documents signed earlier keep their key version and still verify. With a certificate number, hand the new public
key to AT before the next document (lacre signer show prints it).`,
    },
    "signer import": {
      summary: "stores a private key in the database; a running server uses it from the next document on",
      details: `\
The key is RSA of 1024 bits as PEM (PKCS#1 or PKCS#8), without a passphrase. Backups will contain it too; to keep
it in its own file instead, start serve with --signing-key.`,
    },
    pdf: {
      summary: "writes an issued document as PDF",
      details: `\
DOCUMENT is its number as printed, in quotes, or its id: lacre pdf "FT 2026A/12" --out invoice.pdf
The first PDF is the original and is recorded; later ones, and those made with --copy, are marked as second prints with
the content of the first. Works beside a running server.`,
    },
    saft: {
      summary: "writes the SAF-T (PT) file of a year, a month or any days of one year",
      details: `\
Without a period: this year until today. The file gets its name only once it is complete; the report lists what
it contains and what to look at. Works beside a running server. To check a file: lacre verify --saft FILE`,
    },
    verify: {
      summary: "verifies the whole database and names what is wrong, or checks a SAF-T file",
      details: `\
Checks that numbers have no gaps, that dates and entry times are in order, that signatures, seals, totals and
the last number of each series are right, that no event is missing or changed, that every row is as its last event left
it, that the schema is Lacre's, and that no page of the file is damaged. Works beside a running server, which checks all
but the pages by itself: at its start and stop, and once a day. Where it finds something, the company issues nothing
until a backup is restored, or somebody answers for it: lacre verify --answer WHY. That is recorded; what changes
afterwards stops issuing again.

With --saft: checks the SAF-T (PT) 1.04_01 file of any program and needs no database. Faults in structure, keys,
numbers, dates, signatures and sums are errors; wrong control totals of a section, prices and means of payment are
warnings. Without --public-key, the key of the program's producer, only the form of signatures is checked.`,
    },
    heads: {
      summary: "keeps the note of the last numbers elsewhere, too, or tells where it is kept",
      details: `\
A running server writes it there from then on, at most once a second. At its start it compares the database with both
notes: a file that lacks what is noted is locked like a restored backup.`,
    },
    "import-saft": {
      summary: "imports customers and products, not documents, from any program's SAF-T file",
      details: `\
It imports everything or, if anything fails, nothing. What exists already (a customer with the same tax id and
name, a product with the same code) stays as it is, so you can run it again. Prices, units and tax rates come from the
last line that sold the product. The report lists what was left out, shortened or assumed.`,
    },
    backup: {
      summary: "takes a verified backup, also while the server runs",
      details: `\
The file gets its name only once the copy has been verified and is on the disk. It contains the signing key:
keep it where only you can read it. Wherever it is opened, issuing is locked at first (lacre restore --help).
With --every, lacre status says when two of them are missed; without it, when a week has passed.`,
    },
    restore: {
      summary: "puts a backup in place, locked for issuing until you confirm each series",
      details: `\
The backup is verified first; an existing database is moved aside. Stop the server first.

Customers hold documents issued after the backup, and their numbers must never be used again. So issuing stays locked
until you confirm, for each series, the last number you issued (0 for a series you never used):
  lacre restore --confirm-head 'FT 2026A/17'
If that is the last number in the file, the series continues. If not, it is closed and you open a new one
(lacre series create). Numbers given together are confirmed all or none, with the type as printed (RG, GD) or as the
series is named (RC, NDV). You can confirm while a server runs.`,
    },
    archive: {
      summary: "writes the whole database into one file, in which it moves: from a file to PostgreSQL, or back",
      details: `\
The database is verified first, and a server may go on meanwhile: the archive holds all as of one moment. It contains
the signing key: keep it where only you can read it. To move, stop whatever serves the database, so that nothing is
issued after the archive was taken, then read it in its new place (lacre unarchive) and retire the old one.`,
    },
    unarchive: {
      summary: "reads an archive into a new database, locked for issuing until you confirm each series",
      details: `\
The database must not exist yet. Everything is checked, and verified, before it does; nothing is left where that fails.

As the database that the archive was taken of may live on, issuing stays locked until you confirm, for each series, the
last number you issued, as after lacre restore:
  lacre restore --confirm-head 'FT 2026A/17'`,
    },
    "clock confirm": {
      summary: "confirms that the clock is right: documents have later times, or nothing was issued for long",
      details: `\
While the clock is behind the latest document, nothing is issued until it catches up or you confirm it. The same holds
once the company has issued nothing for more than 60 days by the clock, as when that jumps ahead; the owner can also
confirm it in the company area.`,
    },
    openapi: {
      summary: "prints the OpenAPI document, or writes it to a file",
      details: "The document is JSON with and without --json, which makes errors JSON too.",
    },
    version: { summary: "prints the version; so do --version and -v", details: "" },
  },

  /** What the help says of each flag. */
  flags: {
    db: "the database: a file on a local disk, or an address on PostgreSQL (postgres://lacre@db.local/shop)",
    company: "which company, if the database holds several",
    json: "print JSON, errors too: {error: {code, message}}; always in English",
    yes: "do not ask",
    out: "where to write it; - for standard output",
    written_to: "where to write it",
    overwrite: "replace the file if it exists",
    port: "the port to listen on; 0 picks a free one",
    host: "the address to listen on",
    trusted_proxy: "believe the proxies at these addresses (10.0.0.0/8) about who the client is",
    new: "make the database, and begin numbering at 1",
    area: "the company area at /area; --no-area leaves it out",
    plain_http_lan: "let people sign in from other machines without HTTPS, where the network can read along",
    webhooks: "send what waits for webhooks; --no-webhooks lets it wait",
    webhooks_to_private_networks: "let webhooks go to private networks too, and by plain HTTP",
    rate_limit: "requests allowed per key in any 60 seconds",
    signing_key: "sign with the private key (PEM) in this file; it stays there",
    signing_key_version: "the version under which AT knows that key",
    name: "the company's legal name",
    tax_id: "its Portuguese tax number",
    address: "street and number",
    postal_code: "as in 1000-001",
    city: "town",
    country: "ISO 3166 alpha-2; PT unless given",
    tax_region: "PT, PT-AC, PT-MA: mainland, Azores, Madeira",
    time_zone: "decides which day it is; Europe/Lisbon unless given",
    cash_vat: "in the cash-VAT scheme; --no-cash-vat takes it out",
    cash_vat_series: "for documents of the cash-VAT scheme",
    default_exemption_code: "exemption reason for lines at 0 % that give none",
    simplified_limit: "the largest FS: 1000 (the default), 100 or none; lacre company set --help",
    footer_text: "printed at the foot of every document",
    logo: "a PNG or JPEG, printed at the top of every document",
    scope: `may be repeated: ${PERMISSIONS.join(", ")}; or all`,
    key_name: "what the key is for",
    role: "owner, accountant, cashier",
    login: "the person's e-mail address, with which they sign in",
    public_url: "the address at which others reach the server, such as https://loja.pt/faturas",
    allowed_host: "answer to this name too; .loja.pt means those below it as well",
    doc_type: DOC_TYPES.join(", "),
    series_code: "as in 2027A: letters and digits",
    validation_code: "the code AT assigned; it can be registered later",
    training_series: "for training only, never real documents",
    open_year: "this year or the next",
    certificate_number: "9999 rehearses strict mode; 0 for none",
    producer_name: "the legal name of the program's producer",
    producer_tax_id: "the producer's Portuguese tax number",
    key_version: "the version under which AT knows the key; the next one unless given",
    print_language: "the document's language: pt (the default) or en",
    paper: "A4 (the default) or 80mm, the roll of a receipt printer",
    copies: "1 to 4 sets: original to quadruplicate",
    copy: "mark it as a second print (2.ª via)",
    year: "as in 2026",
    month: "1 to 12, in the year of --year",
    from: "the first day, as in 2026-01-01",
    to: "the last day, of the same year",
    training: "only the documents of training series",
    saft: "a SAF-T (PT) file to check instead of the database",
    public_key: "with --saft: the PEM of the key that verifies its signatures",
    answer: "answer for all that was changed, so that issuing goes on: what happened, and who says so",
    heads_to: "keep it in this directory, too, best on another machine",
    heads_stop: "keep it beside the database alone",
    heads: 'compare with heads noted outside: a copy of lacre.db.heads, or "heads" of --json',
    dry_run: "show what would be imported as a table, and write nothing",
    every: "how often you take them, as in 24h; for a timer",
    backup_to: "take verified backups into this directory, best on another disk",
    backup_every: "how often, as in 6h or 1d; 24h unless given",
    keep: "how many of them to keep; 30 unless given",
    no_backup_because: "serve without --backup-to, and record why; one of them is needed under a certificate number",
    confirm_head: "the last number issued in a series; may be repeated",
    lost: "with --confirm-head: series that this file lacks were opened after the backup; close them for good",
    status_check: "end with 9 while something waits",
    restore_status: "show what still waits to be confirmed",
  },

  placeholders: {
    ADDRESS: "ADDRESS",
    CODE: "CODE",
    DATE: "DATE",
    DIR: "DIR",
    DOCUMENT: "DOCUMENT",
    EMAIL: "EMAIL",
    EUR: "EUR",
    FILE: "FILE",
    ID: "ID",
    LANG: "LANG",
    N: "N",
    NAME: "NAME",
    NETWORK: "NETWORK",
    NIF: "NIF",
    NUMBER: "NUMBER",
    PAPER: "PAPER",
    PATH: "PATH",
    WHY: "WHY",
    PEM: "PEM",
    REGION: "REGION",
    ROLE: "ROLE",
    S: "S",
    SERIES: "SERIES",
    TEXT: "TEXT",
    TIME: "TIME",
    TYPE: "TYPE",
    URL: "URL",
    YEAR: "YEAR",
  },

  // ——— The command line ———
  usage: {
    no_command: (name: string) => `there is no command ${name}; see lacre --help`,
    needs_verb: (name: string, verbs: readonly string[]) => `${name} needs one of: ${verbs.join(", ")}`,
    see_help: (command: string) => `see lacre ${command} --help`,
    too_many: (value: string, command: string) =>
      `${value} is one argument too many: what has spaces needs quotes; see lacre ${command} --help`,
    no_flag: (flag: string, command: string) => `there is no flag ${flag}; see lacre ${command} --help`,
    twice: (flag: string) => `${flag} is given twice; give it once`,
    takes_no_value: (flag: string, value: string) => `${flag} takes no value; leave out =${value}`,
    needs_value: (flag: string, takes: string) => `${flag} needs a value: ${takes}`,
    is_required: "is required",
    must_be_integer: (min: number, max: number) => `must be a whole number from ${min} to ${max}`,
    must_be_time: "must be a time from 1m to 24d, as in 30m, 24h or 7d",
    must_be_one_of: (choices: readonly string[]) => `must be one of ${choices.join(", ")}`,
    must_be_language: "must be pt or en",
    must_be_paper: "must be A4 or 80mm",
    must_be_limit: "must be 1000, 100 or none",
    must_be_scope: (scopes: readonly string[]) => `must be all or one of ${scopes.join(", ")}`,
    must_be_names: "must be names of hosts, such as loja.pt",
    must_be_public_url: "must be an address such as https://loja.pt/faturas",
    must_be_networks: "must be addresses or networks, such as 10.0.0.0/8",
    must_name_file: "must name a file",
    must_be_address:
      "must be a file, or the address of a PostgreSQL database such as postgres://lacre@db.local/shop, with signs like " +
      "# and / in a password written %23 and %2F",
    unknown_parameter: (name: string, known: readonly string[]) =>
      `has a parameter ${name} that Lacre does not know; it knows ${known.join(", ")}`,
    must_be_schema: "must name its schema in small letters, digits and _, such as schema=lacre_shop",
    must_be_failover: "must have synchronous as failover, or no failover",
    must_be_ssl_mode: (modes: readonly string[]) => `must have one of these as sslmode: ${modes.join(", ")}`,
    must_name_address: "must name an address",
  },

  // ——— Answers ———
  answers: {
    hint: "[y/N]",
    yes: /^\s*y(?:es)?\s*$/i,
    nothing_changed: "Nothing was changed.",
    to_go_ahead: (question: string, flag: string) => `${question} Nothing was changed; to go ahead, add ${flag}.`,
  },

  // ——— Words in many places ———
  listed: (names: string, more: number) => (more > 0 ? `${names} and ${more} more` : names),
  none: "none",
  documents,

  // ——— Errors of the system and of the storage ———
  errors: {
    standard_output: "standard output",
    the_database: "the database",
    the_file: "the file",
    busy: (path: string) => `Another program is writing to ${path}; try again.`,
    no_room_to_write: (path: string) =>
      `The disk has no room for ${path}: nothing was written; free some, and try again.`,
    lost: (path: string, reason: string) =>
      `The connection to ${path} ended: ${reason}. Whether the last change was written is unknown.`,
    broken: (path: string, reason: string) =>
      `There is damage in ${path}, or its disk fails (${reason}); check the disk, and restore a backup: lacre ` +
      "restore FILE",
    unusable: (path: string, reason: string) =>
      `Lacre cannot use ${path} (${reason}); check its permissions and its disk.`,
    nowhere: "The directory this was started in is gone; change to another, or name the database in full (--db /PATH).",
    no_file: (path: string) => `There is no file ${path}; check its name.`,
    not_a_directory: (path: string) => `A part of ${path} is a file, not a directory; check its name.`,
    is_a_directory: (path: string) => `${path} is a directory; name a file.`,
    exists: (path: string) => `${path} exists already and is not overwritten; name another.`,
    name_too_long: (path: string) => `The name ${path} is too long; choose a shorter one.`,
    circle: (path: string) => `${path} is a link that leads to itself; name the file.`,
    forbidden: (path: string) =>
      `This user may not use ${path}; change its permissions or its directory's, or name another.`,
    read_only: (path: string) => `${path} is on a read-only disk; choose another place.`,
    in_use: (path: string) => `${path} is in use by the system; choose another.`,
    running: (path: string) => `${path} is a program that is running; name another file.`,
    device: (path: string) => `${path} is a device or a socket; name a file.`,
    no_room: (path: string) => `The disk has no room for ${path}; free some, and try again.`,
    too_large: (path: string) => `${path} would be larger than this disk allows; choose another disk.`,
    disk_fails: (path: string) => `The disk of ${path} fails; check it, and choose another.`,
    too_many_open: (path: string) =>
      `${path} cannot be opened: too many files are; raise the limit (ulimit -n), or end other programs.`,
    other: (path: string, reason: string) => `${path}: ${reason}.`,
  },

  storage: STORAGE_SENTENCES,

  // ——— Files ———
  files: {
    no_directory: (path: string) => `There is no directory ${path}; create it first.`,
    too_large: (path: string) => `${path} is a device, or larger than 16 MB; name a smaller file.`,
    not_a_file: (path: string) => `${path} is not a file; name a file.`,
    out_not_a_file: (path: string) => `${path} is not a file; name a file (or, for standard output, - with --out).`,
    is_the_database: (path: string) => `${path} is the database itself; name another file.`,
    of_the_database: (path: string) => `${path} belongs to the database; name another file.`,
  },

  // ——— Finding and opening a database ———
  database: {
    absent: (path: string) =>
      `There is no database at ${path}; if it is elsewhere, name it (--db PATH); to make one: lacre serve --new, ` +
      "or lacre init",
    absent_but_left: (path: string, left: string) =>
      `There is no database at ${path}, but ${left} is left of one: put it back, or restore a backup: lacre ` +
      "restore FILE",
    left_of_earlier: (left: string) =>
      `${left} is left of an earlier database, whose numbers a new one would give again: restore a backup (lacre ` +
      "restore " +
      `FILE), or move ${left} away.`,
    read_only: (path: string) => `${path} is read-only; make it writable.`,
    several_names: (path: string, names: number) =>
      `${path} has ${names} names (hard links), and each would have a log of its own, so that numbers are given ` +
      "twice; " +
      `remove the others: find DIRECTORY -samefile ${path}`,
    mounted_alone: (path: string) =>
      `${path} is mounted by itself, so that its log would lie elsewhere and numbers could be given twice; ` +
      "mount its directory instead.",
    log_missing: (path: string) =>
      `${path} is in use by init or restore, or by a server whose log ${path}-wal is missing; wait until it has ended.`,
    not_a_file: (path: string) => `${path} is not a file; name a database file.`,
    unreadable: (path: string) => `${path} cannot be read; make it readable.`,
    not_a_database: (path: string) => `${path} is not a database; name another file.`,
    not_ours: (path: string) => `${path} is not a Lacre database; name another file.`,
    not_a_lock: (path: string) => `${path} is not Lacre's: no lock can be taken on it. Look what it is, and remove it.`,
    in_use: (path: string) => `${path} is in use: a server runs on it, or init or restore; stop that first.`,
    damaged: (damage: string) => `The database is damaged (${damage}); restore an earlier backup.`,
    damaged_file: (path: string, damage: string) =>
      `There is damage in ${path} (${damage}); check the disk, and restore a backup: lacre restore FILE. ` +
      "The damaged file is kept, with what came after the backup.",
    damaged_search: (path: string, damage: string) =>
      `In ${path} only the search index is damaged (${damage}), which is made from other tables; those are whole. ` +
      "Check the disk, and make the file anew, which loses nothing:\n" +
      "  lacre archive FILE\n" +
      "  lacre unarchive FILE --db NEW.db",
    cannot_be_checked: "it cannot be checked",
    key_and_version: "--signing-key and --signing-key-version must be given together",
    unusable_key: (path: string, reason: string) => `${path}: ${reason}`,
    no_company: "The database holds no company; make one: lacre company create",
    several_companies: (choices: string) => `--company is required, because the database holds several: ${choices}`,
    half_restored: (path: string, log: string, aside: string, suffix: string) =>
      `A restore of ${path} was cut short, and another program has opened it since: ${log} belongs to ` +
      `${aside}, and ${path + suffix} does not. Move ${path} and its ${suffix} away and restore again.`,
  },

  // ——— PostgreSQL ———
  postgres: {
    no_package: "PostgreSQL is reached by the package pg, which is not installed: npm install pg",
    unreachable: (address: string, reason: string) =>
      `No PostgreSQL server answers at ${address} (${reason}); check the address, and that the server runs and can be ` +
      "reached from here.",
    refused: (address: string, reason: string) =>
      `The server at ${address} lets nobody in under this name (${reason}); check the role and its password, which ` +
      "PGPASSWORD or the address gives, and the server's pg_hba.conf.",
    no_database: (address: string, reason: string) =>
      `The server has no database for ${address} (${reason}); check its name, or make one there: createdb NAME`,
    no_rights: (address: string, reason: string) =>
      `The role lacks a right at ${address} (${reason}); grant it (docs/operating.md, On PostgreSQL).`,
    standby: (address: string, reason: string) =>
      `The server at ${address} can only be read (${reason}); name the one that is written to.`,
    pooler: (address: string, reason: string) =>
      `What answers at ${address} changes connections between transactions (${reason}); pool by session, or with ` +
      "prepared statements (PgBouncer 1.21: max_prepared_statements).",
    full: (address: string, reason: string) =>
      `The server at ${address} has no room (${reason}): nothing was written; make some, and try again.`,
    no_connection: (address: string, reason: string) =>
      `The server at ${address} takes no more connections (${reason}); try again, or raise its limit.`,
    starting: (address: string, reason: string) =>
      `The server at ${address} is starting or stopping (${reason}); try again.`,
    certificate: (address: string, reason: string) =>
      `The certificate of the server at ${address} is not trusted (${reason}); name that of its authority in the ` +
      "address: sslrootcert=FILE",
    no_ssl: (address: string, reason: string) =>
      `The server at ${address} offers no encryption (${reason}); switch it on there, or leave sslmode out.`,
    busy: (address: string, reason: string) => `The server at ${address} is busy (${reason}); try again.`,
    unusable: (address: string, reason: string) =>
      `Lacre cannot use ${address} (${reason}); look into the server's log.`,
    absent: (address: string) =>
      `There is no Lacre database at ${address}; if it is elsewhere, name it (--db); to make one: lacre serve --new, or ` +
      "lacre init",
    foreign: (address: string, schema: string) =>
      `The schema ${schema} at ${address} holds tables that are not Lacre's; name another: ?schema=NAME`,
    exists: (address: string) =>
      `There is a Lacre database at ${address} already; name another schema (?schema=NAME), or add a company: lacre ` +
      "company create",
    being_made: (address: string) => `Another program is making a database at ${address}; wait until it has ended.`,
    no_backup: (address: string) =>
      `${address} is no file to be copied. Back it up with pg_dump, or by the server's archive (docs/operating.md, On ` +
      "PostgreSQL).",
    upgrading: (address: string, from: string, to: string) =>
      `${address} is being upgraded, from ${from} to ${to}. The way back is a backup from before: pg_dump, the server's ` +
      "archive, or lacre archive FILE of the program before.",
    no_restore: (address: string) =>
      `${address} is no file to be put in place. Restore it with pg_restore, or by the server's archive ` +
      "(docs/operating.md, On PostgreSQL).",
    no_heads: (address: string) =>
      `A note of heads is kept of a file, not of a server. Note the heads of ${address} with lacre verify --json, and compare with ` +
      "lacre verify --heads.",
    no_scheduled_backups: (address: string) =>
      `--backup-to, --backup-every, --keep and --no-backup-because are for a file; ${address} is backed up with pg_dump, or by the server's ` +
      "archive",
  },

  // ——— The note of heads ———
  heads: {
    to_or_stop: "give one of --to DIR and --stop",
    no_directory: (path: string) => `There is no directory ${path}; create it, or mount its disk.`,
    read_only: (path: string) => `${path} is read-only; make it writable, or name another for --to.`,
    beside_alone: (note: string) =>
      `The note of heads is ${note} alone, which is lost with the database; keep it elsewhere, too: lacre heads --to DIR`,
    elsewhere: (note: string, elsewhere: string) => `The note of heads is ${note}, and elsewhere ${elsewhere}.`,
    on_one_disk:
      "Both are on one disk: if it fails, both are lost. Name a directory on another, best on another machine.",
    locked: "This file counts as a restored backup, until you confirm the last numbers: lacre restore --status",
    not_a_note: (path: string) => `${path} is not a note of heads, or one of a later version.`,
    unreadable: (note: string, reason: string, path: string) =>
      `${note} cannot be read (${reason}): it cannot tell whether this is the latest ${path}.`,
    event: (position: string, company: string | null) =>
      `Event ${position} of ${company === null ? "the installation" : `company ${company}`} was recorded, but this ` +
      "file " +
      "lacks it, or has another in its place.",
    behind: (number: string, head: string) => `${number} was given, but this file ends at ${head}.`,
    differs: (number: string) => `${number} was given for another document than the one in this file.`,
    no_series: (number: string) => `${number} was given, but this file has no such series.`,
    no_company: (number: string, company: string) => `${number} was given, but this file has no company ${company}.`,
    missing: (note: string) => `${note} notes what this file lacks:`,
  },

  // ——— What waits ———
  waiting: {
    not_certified:
      "This program is not certified: whoever must invoice with certified software may not use it as it comes.",
    duties:
      "Before its first invoice the business tells AT, on AT's site, of its establishments, equipment and program " +
      "(Decreto-Lei 28/2019, article 34). It keeps its documents for ten years (19/1): take backups. A company " +
      "prints its form, seat, registry, number and capital (CSC 171): lacre company set --footer-text TEXT",
    key_in_database:
      "The private key that signs is in the database, so whoever can read that can sign; keep it in a file " +
      "(--signing-key), or with the producer (docs/law.md).",
    exposed: (path: string, holds: "keys" | "key") =>
      `Other users can read or change ${path}, which holds ` +
      `${holds === "keys" ? "keys and customers" : "the signing key"}: ` +
      `chmod 600 '${path}'`,
    numbers_unconfirmed: (numbers: string) =>
      "Nothing is issued after a restore until you confirm the last number you gave out in each series, which may " +
      "be past " +
      `this file's (${numbers}): lacre restore --status`,
    database_changed: (place: string) =>
      `${place} is not as Lacre left it: something else changed the database, and nothing is issued until somebody ` +
      "answers for it. All that is wrong: lacre verify. Restore a backup, or: lacre verify --answer WHY",
    clock_behind: (latest: string) =>
      `Nothing is issued while the clock is behind the latest document (${latest}). Set the clock; if it is right: ` +
      "lacre clock confirm",
    clock_unconfirmed: (now: string, since: string) =>
      `By this clock (${now}), nothing was issued since ${since}, and nothing is until the clock is confirmed. If it ` +
      "is wrong, set it; if it is right: lacre clock confirm",
    disk_low: (free: string) =>
      `The disk of the database has ${free} left: make room on it. Once it is full, nothing is issued.`,
    backup_overdue: (taken_at: string | null) =>
      `${taken_at === null ? "No backup was taken yet" : `The last backup is of ${taken_at}`}, and documents were ` +
      "issued " +
      "since. Take one, best to another disk: lacre backup FILE",
    heads_not_elsewhere:
      "The last numbers are noted beside the database alone, and are lost with it; keep the note on another disk or " +
      "machine, too: lacre heads --to DIR",
    tax_file_due: (month: string, due: string) =>
      `The tax file of ${month} must be communicated to AT by ${due}. ${deliver(month)}`,
    tax_file_changed: (month: string) =>
      `Documents of ${month} were issued or cancelled after its tax file was communicated to AT. ${deliver(month)}`,
    year_not_open: (year: number, types: string) =>
      `No series of ${year} yet for ${types}: lacre series open --year ${year}`,
    series_unregistered: (series: string) => `Not registered with AT: ${series}.`,
    register_first: (series: string) =>
      "Communicate each series to AT, and before its first document enter the code AT gives: lacre series register " +
      `"${series}" CODE`,
    series_without_code: (series: string, type: string, first: string) =>
      `Documents without ATCUD, in series that can no longer be registered: ${series}. Open a new one (lacre ` +
      "series create " +
      `--doc-type ${type} --code CODE), register it, then close the old one: lacre series close "${first}"`,
    webhook_failing: (url: string, since: string) =>
      `The webhook to ${url} fails since ${since}: see its deliveries (GET /v1/webhooks) and mend its receiver.`,
    webhook_disabled: (url: string, since: string) =>
      `The webhook to ${url} gets nothing any more: it is gone, or has failed since ${since}. Enable it again ` +
      "(PATCH /v1/webhooks) or delete it.",
    webhooks_unsent: (since: string) =>
      `Messages to webhooks wait since ${since}, and no program sends them: run lacre serve without --no-webhooks, or ` +
      "lacre.webhooks.deliver in your program.",
    more: (count: number) => `${counted(count, "more thing waits", "more things wait")}: lacre status`,
  },

  // ——— The commands ———
  backup: {
    done: (file: string, count: number) => `${file}: ${documents(count)}, whole.`,
    not_recorded: (reason: string) => `the backup is whole, but could not be recorded: ${reason}`,
  },

  archive: {
    done: (file: string, count: number) => `${file}: ${documents(count)}, whole.`,
  },

  unarchive: {
    done: (db: string, file: string, count: number, taken_at: string, restores: number) =>
      `${db} is read from ${file}, taken ${taken_at}: ${documents(count)}, whole. Restore ${restores}.`,
  },

  clock: {
    now: (now: string, latest: string | null) => `It is ${now}; the latest document: ${latest ?? "none yet"}.`,
    confirmed:
      "The clock is confirmed. A series with a document dated later than today takes none until that day: open " +
      "another " +
      "(lacre series create).",
  },

  demo: {
    runs: (url: string) => `Lacre runs on ${url} until Ctrl+C; nothing is kept.`,
    paste: (url: string) =>
      `Read about the API at ${url}/docs, or paste these lines into another terminal, the key first:`,
    in_browser: "Work with it in the browser; the link makes you its owner, once:",
    save: "Save the invoice as PDF, with its QR code:",
    list: "List the documents:",
    customer: "Create a customer:",
    issue: "Issue another invoice:",
    file: "invoice.pdf",
  },

  import_saft: {
    note: ({ record, line, note }: ImportNote) => `${record} (line ${line}): ${note}.`,
    customers: (count: number, dry_run: boolean, existing: number, unusable: number) =>
      taken(counted(count, "customer"), dry_run, existing, unusable),
    products: (count: number, dry_run: boolean, existing: number, unusable: number) =>
      taken(counted(count, "product"), dry_run, existing, unusable),
    nothing_written: "Nothing was written.",
    customers_to_create: "Customers to create:",
    products_to_create: "Products to create:",
    price: (eur: number) => String(eur),
    rate: (percent: number) => `${percent} %`,
    more: (count: number) => `and ${count} more`,
    more_notes: (count: number) => `And ${counted(count, "more note")}.`,
  },

  init: {
    ready: (db: string, name: string, tax_id: string) => `${db} is ready for ${name}, NIF ${tax_id}.`,
    api_key: "The API key, shown only once:",
    next: "Next: lacre serve",
  },

  key: {
    created: (id: string, name: string, scopes: string) => `Key ${id} (${name}): ${scopes}`,
    value: "Its value, shown only once:",
    since: (date: string) => `since ${date}`,
    revoked_on: (date: string) => `revoked ${date}`,
    revoked: (id: string, name: string) => `Key ${id} (${name}) is revoked.`,
  },

  user: {
    link_for: (login: string | undefined) => `The link for ${login ?? "a new owner"}:`,
    once_until: (until: string) => `It works once, until ${until}.`,
    address_unknown:
      "No server that runs on this database is known here, so the link begins with the usual address; where that is " +
      "another, give it with --public-url.",
    needs_login: (role: string) => `--role ${role} needs --login EMAIL`,
    since: (date: string) => `since ${date}`,
    disabled_on: (date: string) => `disabled ${date}`,
    roles: { owner: "owner", accountant: "accountant", cashier: "cashier" },
    role_of: (role: string, company: string) => `${role} of ${company}`,
    none: "There are no users: lacre user invite --role owner",
    disabled: (name: string, login: string) => `${name} (${login}) is disabled.`,
    unknown: (login: string) => `There is no user ${login}; see lacre user list`,
  },

  listen: {
    in_use: (address: string) => `${address} is already in use; choose another port with --port.`,
    forbidden: (address: string) => `${address} may not be used by this user; choose a port above 1023 with --port.`,
    not_ours: (address: string) => `${address} is not an address of this machine; choose another with --host.`,
    unknown_host: (address: string) => `${address} is not a known host; choose another with --host.`,
    not_looked_up: (address: string) => `${address} cannot be looked up now; name an address with --host.`,
    other: (address: string, reason: string) =>
      `${address} cannot be used (${reason}); choose another with --host and --port.`,
  },

  pdf: {
    written: (file: string, name: string, bytes: number) => `${file}: ${name}, ${bytes} bytes.`,
    unknown: (number: string, company: string, known: string) =>
      `There is no document ${number} of ${company}; ${known}.`,
    last_of_series: (number: string) => `the last of its series is ${number}`,
    last_of_each: (numbers: string) => `the last of each series: ${numbers || "none"}`,
  },

  restore: {
    one_of: "give one of FILE, --confirm-head NUMBER and --status",
    no_backup: (path: string) => `There is no backup at ${path}; check its name.`,
    in_use: (path: string) => `${path} is a database in use, not a backup; take one: lacre backup FILE`,
    is_the_database: (path: string) => `${path} is the database itself; name a backup.`,
    open_elsewhere: (path: string) => `Another program has ${path} open; stop that first.`,
    done: (db: string, backup: string, count: number, restores: number) =>
      `${db} is restored from ${backup}: ${documents(count)}, whole. Restore ${restores}.`,
    aside: (path: string) => `The database it replaces is now ${path}.`,
    ask_lost: (numbers: string) =>
      `This file has no series of ${numbers}. Opened after the backup, and to be closed for good?`,
    goes_on: (head: string) => `${head} is the last number in this file: the series continues.`,
    is_closed: (head: string) =>
      `This file ends at ${head}: the series is closed. Open a new one (lacre series create --doc-type TYPE --code ` +
      "CODE) and register it.",
    none_locked: "No series is locked.",
    locked: "These series are locked, shown with the last number in this file:",
    of_company: (head: string, company: string) => `${head}  (company ${company})`,
    how_locked: "While one with documents is locked, its company cannot issue at all; an empty one blocks only itself.",
    how_to_confirm:
      "Look for later numbers, on paper and with your customers, and confirm the last of each series. If you find " +
      "none:",
  },

  saft: {
    month_needs_year: "--month needs --year",
    period_given_twice: "give --year, or --from and --to, not both",
    head: (file: string, from: string, to: string, training: boolean) =>
      `${file}: ${from} to ${to}${training ? ", training" : ""}. Amounts in EUR.`,
    no_documents: "No documents.",
    type_headings: ["", "documents", "cancelled", "lines", "net", "VAT", "gross"],
    vat_headings: ["  region", "code", "rate", "base", "VAT"],
    vat: "VAT of invoices, less credit notes",
    vat_received: "VAT received under cash VAT",
    decimal: (text: string) => text,
    contents: (customers: number, products: number, tax_rates: number) =>
      `${counted(customers, "customer")}, ${counted(products, "product")}, ${counted(tax_rates, "tax rate")}.`,
    look: (count: number, message: string, examples: string, more: number) =>
      `Look at this (${count}): ${message} ${examples}${more > 0 ? ` and ${more} more` : ""}`,
    not_over: (to: string) =>
      `The period is not over: what is issued from now until ${to} is not in this file. Export it again then.`,
    /** The sentence of a warning: in English the report's own. */
    warning: (_code: SaftWarningCode, message: string) => message,
  },

  backups: {
    not_both: "give --backup-to or --no-backup-because, not both",
    need_policy:
      "Under a certificate number the law asks for backups at intervals (Despacho 8632/2014, 3.1.2): give --backup-to " +
      "DIR, or say why not: --no-backup-because TEXT",
    need_directory: "--backup-every and --keep need --backup-to DIR",
    no_directory: (path: string) => `There is no directory ${path}; create it, for backups alone.`,
    read_only: (path: string) => `${path} is read-only; make it writable, or name another for --backup-to.`,
  },

  series: {
    unknown: (given: string, active: string) => `There is no series ${given}; active ones are ${active || "none"}.`,
    nothing_to_open: (year: number) => `Nothing to open: no active series is of a year before ${year}.`,
    opened: "opened",
    exists: "exists",
    code_not_again: (series: string, doc_type: string) =>
      `${series} is closed, and its code is not used again; choose another: lacre series create --doc-type ` +
      `${doc_type} --code CODE`,
    ask_close: (series: string) => `Close the series ${series} for good?`,
    status: { active: "active", closed: "closed" },
    next: (number: number) => `next ${number}`,
    not_registered: "not registered",
    registered: (code: string) => `registered ${code}`,
    training: ", training",
  },

  serve: {
    made: (path: string) => `${path} was made.`,
    ask_new: (path: string) => `There is no database at ${path}. Make a new one, which begins numbering at 1?`,
    set_up: (url: string, until: string) => `Open this link to set up Lacre, once, until ${until}: ${url}`,
    set_up_in: (file: string, until: string) =>
      `Nobody can log in yet. The link that makes the first owner is in ${file}, until ${until}; lacre user invite ` +
      "--role owner makes another.",
    set_up_by_command: "Nobody can log in yet: lacre user invite --role owner makes a link for the first owner.",
    area: (url: string) => `The company area: ${url}`,
    answers_at: (url: string) => `Lacre answers at ${url}`,
    lan: (urls: string) => `From other computers of this network: ${urls}`,
    lan_closed: (urls: string) =>
      `From other computers of this network: ${urls}, where people cannot sign in: that needs HTTPS, or ` +
      "--plain-http-lan on a network that you trust.",
    restore_undone: "A restore had been cut short, and was undone: the database is as it was before.",
    log_removed: (path: string) =>
      `${path}-wal is gone, and with it what was written last: put it back, or confirm the last numbers (lacre ` +
      "restore --status)",
    copied: (path: string) =>
      `${path} is a copy, or its note ${path}.heads is gone: the original may have given later numbers. This one counts ` +
      "as a restored backup, which issues nothing until you confirm the last numbers: lacre restore --status",
    upgrading: (from: string, to: string, backup: string) =>
      `The database is being upgraded, from ${from} to ${to}. As it was, verified, it is in ${backup}: lacre restore of ` +
      "the program before takes it back, without what comes after.",
    storage_failed: (reason: string) => `The storage failed: ${reason}; start the server again to recover.`,
    older_copy: (path: string, first: string, others: number) =>
      `This is not the latest ${path}: ` +
      `${first}${others > 0 ? ` And ${counted(others, "other series", "other series")} likewise.` : ""} ` +
      "Put the latest one back. If there is none, this one counts as a restored backup, which issues nothing until " +
      "you " +
      "confirm the last numbers: lacre restore --status",
    debugged:
      "Node's debugger is open and would give away the signing key; start the server without --inspect, also in " +
      "NODE_OPTIONS (to debug: lacre demo).",
    key_is_elsewhere: (version: number | null) =>
      `Signing key version ${version} is not in the database; name its file with --signing-key.`,
  },

  signer: {
    not_certified: "Not certified.",
    certificate: (number: number) => `Certificate number ${number}.`,
    rehearsal:
      "Rehearsal of strict mode, under number 9999. The program is not certified: its documents say so on every page.",
    producer: (name: string, tax_id: string) => `Producer: ${name}, NIF ${tax_id}.`,
    signed_under: (version: number | null, in_file: boolean) =>
      `Documents are signed under key version ${version}${in_file ? ", by the key in its file" : ""}.`,
  },

  status: {
    company: "company",
    companies: (count: number) => `${count} companies`,
    company_of: (name: string, tax_id: string) => `${name}, NIF ${tax_id}`,
    certificate: "certificate",
    rehearsal: "rehearsal, under number 9999",
    certificate_of: (number: number, producer: string | undefined) =>
      `number ${number}${producer === undefined ? "" : `, of ${producer}`}`,
    checked: "last check",
    checked_ago: (age: string, at: string) => `${age} ago (${at})`,
    heads: "note of heads",
    heads_beside: "beside the database alone",
    last_backup: "last backup",
    backup_of: (age: string, taken_at: string, count: number, file: string) =>
      `${age} ago (${taken_at}), ${documents(count)}, ${file}`,
    backups_of_server: "the server's own; Lacre takes none on PostgreSQL (docs/operating.md, On PostgreSQL)",
    from_backup: (age: string, taken_at: string) => `${age} ago (${taken_at}), the one this file is from`,
    database: "database",
    file: (file: string, mode: string, size: string, free: string) => `${file} (${mode}), ${size}; ${free} free`,
    on_server: (address: string, size: string) => `${address}, ${size}`,
    signing_key: "signing key",
    key: (version: number | null, place: string) => `version ${version}, ${place}`,
    key_unseen: "kept outside the database; name its file with --signing-key to see it here",
    key_in_database: "in the database",
    key_in: (file: string, mode: string) => `in ${file} (${mode})`,
    no_backups: "no backups",
    no_backups_because: (because: string, since: string) => `${because} (since ${since})`,
    restores: "restores",
    versions: "versions",
    schema: (number: unknown) => `schema ${number}`,
    upgrade: (from: string, to: string) =>
      `The database has the schema ${from}: lacre serve upgrades it to ${to}, and backs it up before.`,
    waits: "Waiting for you:",
    nothing_waits: "Nothing waits for you.",
    so_many_wait: (count: number) => `${counted(count, "thing waits", "things wait")} for you`,
    seconds: (count: number) => counted(count, "second"),
    minutes: (count: number) => counted(count, "minute"),
    hours: (count: number) => counted(count, "hour"),
    days: (count: number) => counted(count, "day"),
    decimal: (text: string) => text,
  },

  verify: {
    key_needs_file: "--public-key needs --saft",
    put_back: (conflict: string) => `${conflict} Put the latest file back, or restore a later backup.`,
    restore_earlier: (finding: string) => `${finding} Restore an earlier backup.`,
    of_company: (name: string, count: number, series: number, whole: boolean) =>
      `${name}: ${documents(count)} in ${series} series, ${whole ? "whole." : "NOT whole:"}`,
    of_installation: (whole: boolean): string =>
      whole ? "Installation: schema, signing keys and record of events, whole." : "Installation, NOT whole:",
    others: (names: string) => `Tables and views that are not Lacre's, and are not verified: ${names}.`,
    sequence: (series: string, sequence: number) => `${series}, sequence ${sequence}`,
    finding: (reason: string) => reason,
    nothing_to_answer_for: "The database is as Lacre left it: there is nothing to answer for.",
    answered: (count: number) =>
      `${count === 1 ? "1 finding was" : `${count} findings were`} answered for, and recorded; what changes from now on stops issuing again.`,
    file: (file: string, count: number, signatures: number) =>
      `${file}: ${documents(count)}, ${counted(signatures, "signature")} verified.`,
    unverifiable: (count: number) =>
      `${counted(count, "signature")} cannot be verified without the previous document or key.`,
    error: "Error",
    warning: "Warning",
    line: (line: number) => `line ${line}`,
    more: (count: number) => `… and ${count} more.`,
    accepted: "Accepted.",
    not_accepted: (errors: number) => `NOT accepted: ${counted(errors, "error")}.`,
  },
};

/** The texts of one language: the same names as in English, and functions of the same values. */
export type Texts = typeof EN;
