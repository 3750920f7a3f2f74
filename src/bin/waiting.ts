/**
 * What waits for a person, in words that end with the next command; `serve` says it at its start, `status` at any time.
 */
import { statSync } from "node:fs";
import type { Waiting } from "../core/index.ts";
import { listed } from "./output.ts";
import { registerFirst } from "./series.ts";

/** Said where the installation has no certificate number. */
export const NOT_CERTIFIED =
  "This program is not certified: whoever must invoice with certified software may not use it as it comes.";

/** Said where a certified program's private key is in the database (Despacho 8632/2014, 3.1.4 and 4.3). */
export const KEY_IN_DATABASE =
  "The private key that signs is in the database, so whoever can read that can sign; keep it in a file (--signing-key), or with the producer (docs/law.md).";

/** What to do about a file that other users of the machine can read or change; undefined where they cannot. */
export function exposureOf(file: string, holds: "keys and customers" | "the signing key"): string | undefined {
  const isPrivate = process.platform === "win32" || (statSync(file).mode & 0o077) === 0;
  return isPrivate ? undefined : `Other users can read or change ${file}, which holds ${holds}: chmod 600 '${file}'`;
}

/** One thing that waits, as a sentence; `named` says of which company. */
export function sentenceOf(waiting: Waiting, named: boolean): string {
  return (named && waiting.company !== null ? `${waiting.company}: ` : "") + wordsOf(waiting);
}

function wordsOf(waiting: Waiting): string {
  switch (waiting.kind) {
    case "numbers_unconfirmed": {
      const { numbers } = waiting;
      return `Nothing is issued after a restore until you confirm the last number you gave out in each series, which may be past this file's (${listed(numbers)}): lacre restore --status`;
    }
    case "clock_behind":
      return `Nothing is issued while the clock is behind the latest document (${waiting.latest_issued_at}). Set the clock; if it is right: lacre clock confirm`;
    case "backup_overdue": {
      const last = waiting.taken_at === null ? "No backup was taken yet" : `The last backup is of ${waiting.taken_at}`;
      return `${last}, and documents were issued since. Take one, best to another disk: lacre backup FILE`;
    }
    case "tax_file_due": {
      const { month, due, changed } = waiting;
      const [year, number] = month.split("-");
      const what = changed
        ? `Documents of ${month} were issued or cancelled after its tax file was communicated to AT`
        : `The tax file of ${month} must be communicated to AT by ${due}`;
      return `${what}. Write it (lacre saft --year ${year} --month ${Number(number)}), deliver it on AT's site, then mark the month in the company area`;
    }
    case "year_not_open": {
      const { year, doc_types } = waiting;
      return `No series of ${year} yet for ${listed(doc_types)}: lacre series open --year ${year}`;
    }
    case "series_unregistered": {
      const { series } = waiting;
      return `Not registered with AT: ${listed(series)}. ${registerFirst(series[0] ?? "FT CODE")}`;
    }
    case "series_without_code": {
      const { series } = waiting;
      const [type = ""] = series[0]?.split(" ") ?? [];
      return `Documents without ATCUD, in series that can no longer be registered: ${listed(series)}. Open a new one (lacre series create --doc-type ${type} --code CODE), register it, then close the old one: lacre series close "${series[0]}"`;
    }
  }
}
