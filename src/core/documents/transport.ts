/** How goods travel: the transport of guides, returns and invoices, and the code the tax authority gives for it. */
import type * as z from "zod";
import type { Row } from "../database/tables.ts";
import { recordDocumentEvent } from "../events/events.ts";
import type { Instant } from "../fiscal/civil-time.ts";
import { DOCUMENT_TYPES, type DocType } from "../fiscal/document-types.ts";
import { type Problem, problem, refuse } from "../runtime/errors.ts";
import type { WriteScope } from "../runtime/scope.ts";
import type { NewTransport, Place, Transport } from "./document.ts";
import { parseTransport } from "./frozen.ts";
import { t } from "./refusals.ts";

type TransportInput = z.output<typeof NewTransport>;

/** A transport as a draft keeps it: null for whatever was not given. */
export function draftTransport(given: TransportInput): Transport {
  const { start_at = null, end_at = null, from = null, to = null, vehicle = null } = given;
  return { start_at, end_at, from, to, vehicle };
}

/** The input that would give a draft its transport. */
export function transportInput({ start_at, end_at, from, to, vehicle }: Transport): TransportInput {
  return {
    ...(start_at !== null && { start_at }),
    end_at,
    ...(from !== null && { from }),
    ...(to !== null && { to }),
    vehicle,
  };
}

/** The problems of a transport that do not depend on when it is issued. */
export function problemsWithTransport(doc_type: DocType, transport: TransportInput | null | undefined): Problem[] {
  if (transport == null) return [];
  if (!DOCUMENT_TYPES[doc_type].takes_transport) return [problem("transport", t.takes_no_transport({ doc_type }))];
  const { start_at, end_at } = transport;
  return start_at === undefined ? [] : problemsWithArrival(start_at, end_at);
}

function problemsWithArrival(start_at: Instant, end_at: Instant | null | undefined): Problem[] {
  if (end_at == null || end_at >= start_at) return [];
  return [problem("transport.end_at", t.arrives_before_leaving)];
}

/**
 * The problems of a transport's times at the moment of issue. In strict mode the document must come before the goods
 * leave (Decreto-Lei 147/2003).
 */
export function problemsWithTimes(document: Row<"documents">, now: Instant, isStrict: boolean): Problem[] {
  const { start_at = null, end_at = null } = transportOf(document) ?? {};
  if (isStrict && start_at !== null && start_at < now) {
    return [problem("transport.start_at", t.leaves_before_issue)];
  }
  return problemsWithArrival(start_at ?? now, end_at);
}

/**
 * In strict mode goods travel between known places (Decreto-Lei 147/2003, article 4/1). Every document requires the
 * company's address (`mustNameIssuer`).
 */
export function problemsWithPlaces(
  document: Row<"documents">,
  { company, customer }: { readonly company: Row<"companies">; readonly customer: Row<"customers"> | undefined },
): Problem[] {
  const transport = customer && filledTransport(document, customer, company, null);
  if (!transport) return [];
  const given = transportOf(document);
  const home = DOCUMENT_TYPES[document.doc_type].brings_back ? "to" : "from";
  return (["from", "to"] as const).flatMap((end) => {
    if (end === home && !given?.[end]) return [];
    const { address, city } = transport[end] ?? {};
    return address || city ? [] : [problem(`transport.${end}`, t.needs_place)];
  });
}

/**
 * The transport to freeze; null on an invoice without one. If left out, it starts at the moment of issue and goes from
 * the company to the customer, or back if the document brings goods back.
 */
export function filledTransport(
  document: Row<"documents">,
  customer: Row<"customers">,
  company: Row<"companies">,
  issued_at: Instant | null,
): Transport | null {
  const { has_transport, brings_back } = DOCUMENT_TYPES[document.doc_type];
  const given = transportOf(document);
  if (!has_transport && given === null) return null;
  const [origin, destination] = brings_back ? [customer, company] : [company, customer];
  return {
    start_at: given?.start_at ?? issued_at,
    end_at: given?.end_at ?? null,
    from: given?.from ?? addressOf(origin),
    to: given?.to ?? addressOf(destination),
    vehicle: given?.vehicle ?? null,
  };
}

/**
 * Stores the tax authority's code of an issued transport, once; refuses with `invalid_state` otherwise. The stored
 * code, sent again after a lost answer, changes nothing.
 */
export async function saveTransportCode(
  scope: WriteScope,
  document: Row<"documents">,
  at_doc_code: string,
): Promise<Row<"documents">> {
  const { takes_transport, has_transport } = DOCUMENT_TYPES[document.doc_type];
  if (!takes_transport) refuse("invalid_state", t.takes_no_transport_code({ doc_type: document.doc_type }));
  if (!has_transport && document.transport === null) refuse("invalid_state", t.carries_no_transport);
  if (document.at_doc_code === at_doc_code) return document;
  const saved = await scope.db
    .updateTable("documents")
    .set({ at_doc_code })
    .where("id", "=", document.id)
    .where("status", "=", "issued")
    .where("at_doc_code", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (!saved) {
    const { at_doc_code: earlier } = document;
    if (earlier === null) return refuse("invalid_state", t.transport_code_needs_issue);
    return refuse("invalid_state", t.has_transport_code({ at_doc_code: earlier }));
  }
  await recordDocumentEvent(scope, "document.transport_registered", saved, { at_doc_code });
  return saved;
}

/** Refuses to cancel a transport that has left and is known to the tax authority. */
export function mustNotHaveLeft(document: Row<"documents">, now: Date): void {
  const start_at = transportOf(document)?.start_at;
  if (document.at_doc_code === null || start_at == null || now.toISOString() < start_at) return;
  refuse("invalid_state", t.transport_has_begun({ start_at }));
}

function transportOf({ transport }: Row<"documents">): Transport | null {
  return transport === null ? null : parseTransport(transport);
}

function addressOf({ address, postal_code, city, country }: Row<"companies"> | Row<"customers">): Place {
  return { address, postal_code, city, country };
}
