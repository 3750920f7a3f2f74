/**
 * The status of each document, fixed by the first pass: a document cancelled or billed while the file is being written
 * keeps its status, so that a file is consistent however long its writing takes.
 */
import { type EntryTime, entryTime } from "../../fiscal/civil-time.ts";
import { column } from "./columns.ts";
import { positionOf } from "./reader.ts";
import type { Selection } from "./selection.ts";
import type { Billing, ExportedDocument } from "./types.ts";

/** The DocumentStatus of one document. */
export interface DocumentStatus {
  /** Normal, cancelled or billed. */
  readonly code: "N" | "A" | "F";
  /** Since when it has this status, in Lisbon time. */
  readonly since: EntryTime;
  readonly reason: string | null;
  /** The id of the actor who gave it this status. */
  readonly by: string;
}

/** The statuses of a selection's documents, which are added in the order of the file. */
export function newStatuses(selection: Selection) {
  const cancelled = new Set<number>();
  const billed = billedDocuments();
  return {
    /** Notes whether a document is cancelled. */
    add({ position, row }: ExportedDocument): void {
      if (row.status === "cancelled") cancelled.add(position);
    },
    /** Notes the invoices that reference some documents. All invoices of the file were added before. */
    addBillings(documents: readonly ExportedDocument[], billings: readonly Billing[]): void {
      for (const billing of billings) {
        if (!wasValid(billing, selection, cancelled)) continue;
        const { position } = documents.find(({ row }) => row.id === billing.billed_id) as ExportedDocument;
        billed.add(position, billing);
      }
    },
    of({ position, row }: ExportedDocument): DocumentStatus {
      if (cancelled.has(position)) {
        const at = entryTime(row.cancelled_at ?? row.issued_at);
        // An entry time may be a little ahead of a clock that was set back; nothing is cancelled before it was issued.
        const since = at > row.system_entry_date ? at : row.system_entry_date;
        return { code: "A", since, reason: row.cancel_reason, by: row.cancelled_by as string };
      }
      const billing = billed.find(position);
      if (billing) return { code: "F", ...billing, reason: null };
      return { code: "N", since: row.system_entry_date, reason: null, by: row.issued_by };
    },
  };
}

export type Statuses = ReturnType<typeof newStatuses>;

/** Whether an invoice existed and was not cancelled: in the file as the file shows it, elsewhere as it is now. */
function wasValid(billing: Billing, { series, ranges }: Selection, cancelled: ReadonlySet<number>): boolean {
  const { series_id, sequence, is_cancelled } = billing;
  const range = ranges.find((one) => one.series.id === series_id);
  if (range && sequence >= range.first && sequence < range.end) return !cancelled.has(positionOf(range, billing));
  const next = series.find((row) => row.id === series_id)?.next_number ?? 0;
  return !is_cancelled && sequence < next;
}

/**
 * For each billed document, when the first invoice billed it and who issued that: two numbers, as there may be many.
 */
function billedDocuments() {
  // In milliseconds, as if Lisbon time were UTC: only local times are put in and taken out.
  const times = column();
  const issuers: string[] = [];
  const issuersAt = column(Uint32Array);
  return {
    /** Billings of a document come in the order of time, so that the first one is kept. */
    add(position: number, { system_entry_date, issued_by }: Billing): void {
      if (times.get(position) > 0) return;
      times.set(position, Date.parse(`${system_entry_date}Z`));
      if (!issuers.includes(issued_by)) issuers.push(issued_by);
      issuersAt.set(position, issuers.indexOf(issued_by));
    },
    find(position: number): Pick<DocumentStatus, "since" | "by"> | undefined {
      const time = times.get(position);
      if (!(time > 0)) return undefined;
      return {
        since: new Date(time).toISOString().slice(0, 19) as EntryTime,
        by: issuers[issuersAt.get(position)] as string,
      };
    },
  };
}
