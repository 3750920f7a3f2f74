/**
 * What waits for a person, in words that end with the next command; `serve` shows it at its start, `status` at any
 * time.
 */
import { statSync } from "node:fs";
import type { Waiting } from "../core/index.ts";
import { listed, sizeText } from "./output.ts";
import type { Terminal } from "./terminal.ts";
import type { Texts, Words } from "./texts/texts.ts";

/** What to do about a file that other users of the machine can read or change; undefined if they cannot. */
export function exposureOf(file: string, holds: "keys" | "key"): Words | undefined {
  const isPrivate = process.platform === "win32" || (statSync(file).mode & 0o077) === 0;
  return isPrivate ? undefined : (t) => t.waiting.exposed({ path: file, holds });
}

/** One waiting thing, as a sentence; with `named` it says of which company, and so do its commands. */
export function sentenceOf(waiting: Waiting, named: boolean, { complete }: Pick<Terminal, "complete">): Words {
  if (!named || waiting.company_id === null) return (t) => complete(wordsOf(waiting, t));
  const { company, company_id } = waiting;
  return (t) => `${company}: ${complete(wordsOf(waiting, t), company_id)}`;
}

function wordsOf(waiting: Waiting, texts: Texts): string {
  const { waiting: t } = texts;
  switch (waiting.kind) {
    case "numbers_unconfirmed":
      return t.numbers_unconfirmed({ numbers: listed(waiting.numbers, texts) });
    case "database_changed":
      return t.database_changed({ place: waiting.place });
    case "clock_behind":
      return t.clock_behind({ latest: waiting.latest_issued_at });
    case "clock_unconfirmed":
      return t.clock_unconfirmed({ now: waiting.now, since: waiting.since });
    case "disk_low":
      return t.disk_low({ free: sizeText(waiting.free_bytes, texts) });
    case "backup_overdue":
      return waiting.taken_at === null ? t.no_backup_yet : t.backup_overdue({ taken_at: waiting.taken_at });
    case "heads_not_elsewhere":
      return t.heads_not_elsewhere;
    case "tax_file_due": {
      const { month: period, due, changed } = waiting;
      const [year = 0, month = 0] = period.split("-").map(Number);
      return changed ? t.tax_file_changed({ period, year, month }) : t.tax_file_due({ period, year, month, due });
    }
    case "year_not_open":
      return t.year_not_open({ year: waiting.year, types: listed(waiting.doc_types, texts) });
    case "series_unregistered": {
      const { series } = waiting;
      return `${t.series_unregistered({ series: listed(series, texts) })} ${t.register_first({ series: series[0] ?? "FT CODE" })}`;
    }
    case "webhook_failing": {
      const { url, since, disabled } = waiting;
      return disabled ? t.webhook_disabled({ url, since }) : t.webhook_failing({ url, since });
    }
    case "emails_not_sent":
      return t.emails_not_sent({ failed: waiting.failed, unknown: waiting.unknown });
    case "emails_failing":
      return t.emails_failing({ since: waiting.since });
    case "emails_unsent":
      return t.emails_unsent({ since: waiting.since });
    case "webhooks_unsent":
      return t.webhooks_unsent({ since: waiting.since });
    case "series_without_code": {
      const { series } = waiting;
      const [first = ""] = series;
      const [type = ""] = first.split(" ");
      return t.series_without_code({ series: listed(series, texts), type, first });
    }
  }
}
