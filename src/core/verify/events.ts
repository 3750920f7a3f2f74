/**
 * Verifies a chain of events: positions without gaps, each seal over the one before, the head, and the rows that events
 * made.
 */
import type { KeptHead } from "../database/kept-counts.ts";
import type { Reader, Row } from "../database/tables.ts";
import { eventsAfter, isSealed } from "../events/events.ts";
import { yieldToOthers } from "../runtime/ports.ts";
import { findingsIn } from "./finding.ts";

/** A walked chain: how often each action is in it, and its first fault. */
export interface WalkedChain {
  readonly actions: ReadonlyMap<string, number>;
  readonly fault: string | null;
  /** The marks of the findings that were answered for. */
  readonly answered: ReadonlySet<string>;
}

/** Where a walk begins: after an event that an earlier walk reached, by its position and its seal. */
export type WalkedTo = Pick<KeptHead, "event_position" | "event_seal">;

const START: WalkedTo = { event_position: 0, event_seal: null };

/**
 * Walks the chain of a company, or of the installation, up to a head that was read before, from its first event or from
 * where an earlier walk ended; later events are left out.
 */
export async function walkEvents(
  db: Reader,
  company_id: string | null,
  { event_position, event_seal, last_position }: KeptHead,
  breathe: () => Promise<void> = yieldToOthers,
  from: WalkedTo = START,
): Promise<WalkedChain> {
  const actions = new Map<string, number>();
  const answered: string[] = [];
  let { event_position: position, event_seal: seal } = from;
  const ended = (fault: string | null): WalkedChain => ({ actions, fault, answered: new Set(answered) });
  if (position > event_position) return ended(`The events end at ${event_position}; the last one was ${position}.`);
  while (position < event_position) {
    const events = await eventsAfter(db, company_id, position);
    if (events.length === 0) break;
    for (const event of events.slice(0, event_position - position)) {
      const fault = faultOfNext(event, position + 1, seal);
      if (fault) return ended(fault);
      ({ position, seal } = event);
      actions.set(event.action, (actions.get(event.action) ?? 0) + 1);
      answered.push(...marksAnsweredBy(event));
    }
    await breathe();
  }
  if (position < event_position) return ended(`The events end at ${position}; the last one was ${event_position}.`);
  if (seal !== event_seal) return ended(`The seal of event ${position} is not the one kept as the last.`);
  return ended(last_position > event_position ? `There are events past the last one, ${event_position}.` : null);
}

/** Why an event cannot be the next one, after the one with this seal; null if it is. */
function faultOfNext(event: Row<"events">, position: number, seal: string | null): string | null {
  if (event.position !== position) return `Event ${position} is missing.`;
  return isSealed(event, seal) ? null : `The seal of event ${position} is broken.`;
}

/** The marks of the findings that an event answers for. */
function marksAnsweredBy({ action, detail }: Pick<Row<"events">, "action" | "detail">): string[] {
  return action.endsWith(".findings_answered") ? findingsIn(detail).map(({ mark }) => mark) : [];
}

/** The rows that events made, by table: each of these actions makes one. */
const MAKES = {
  actors: ["actor.created", "key.created", "user.created", "user.joined"],
  communications: ["communication.marked"],
  customers: ["customer.created"],
  document_links: ["link.created"],
  documents: ["document.issued"],
  emails: ["email.queued"],
  invitations: ["invitation.made"],
  payments: ["payment.recorded", "refund.recorded"],
  products: ["product.created"],
  series: ["series.opened"],
  signing_keys: ["signer.added", "signer.rotated", "signer.imported"],
  webhooks: ["webhook.created"],
} as const;

/** Compares the number of rows with the number of events that made one. */
export function faultOfRowCounts(
  actions: WalkedChain["actions"],
  counts: Partial<Record<keyof typeof MAKES, number>>,
): string | null {
  for (const [table, makers] of Object.entries(MAKES)) {
    const rows = counts[table as keyof typeof MAKES];
    const made = makers.reduce((sum, action) => sum + (actions.get(action) ?? 0), 0);
    if (rows !== undefined && made !== rows) return `${table}: ${made} were made, and there are ${rows}.`;
  }
  return null;
}
