/** What waits for a person, in words and with the way out; `serve` says it at its start, `status` at any time. */
import type { Waiting } from "../core/index.ts";
import { listed } from "./output.ts";
import { REGISTER_FIRST } from "./series.ts";

/** Said where the installation has no certificate number. */
export const NOT_CERTIFIED =
  "This program is not certified: whoever must invoice with certified software may not use it as it comes.";

/** Said where a certified program's private key is in the database (Despacho 8632/2014, 3.1.4 and 4.3). */
export const KEY_IN_DATABASE =
  "The private key that signs is in the database, so whoever can read that can sign; keep it in a file (--signing-key), or with the producer (docs/law.md).";

/** One thing that waits, as a sentence; `named` says of which company. */
export function sentenceOf(waiting: Waiting, named: boolean): string {
  return (named ? `${waiting.company}: ` : "") + wordsOf(waiting);
}

function wordsOf(waiting: Waiting): string {
  switch (waiting.kind) {
    case "numbers_unconfirmed": {
      const { numbers } = waiting;
      return `Issuing is locked after a restore until you confirm the last numbers you gave out, which may be past those in this file: ${listed(numbers)} (lacre restore --status).`;
    }
    case "clock_behind":
      return `The clock is behind the latest document (${waiting.latest_issued_at}): nothing is issued until it catches up, or you confirm it (lacre clock confirm).`;
    case "year_not_open": {
      const { year, doc_types } = waiting;
      return `No series of ${year} yet for ${listed(doc_types)}: open them (lacre series open --year ${year}).`;
    }
    case "series_unregistered":
      return `Not registered with AT: ${listed(waiting.series)}. ${REGISTER_FIRST}`;
    case "series_without_code":
      return `Documents without ATCUD, in series that can no longer be registered: ${listed(waiting.series)}. Open a new one (lacre series create), register it, then close the old one (lacre series close ID).`;
  }
}
