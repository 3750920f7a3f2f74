/** Documents to print. Each factory takes the fields that differ from the sample. */
import { entryTime } from "../../../src/core/fiscal/civil-time.ts";
import { sharedDiscount, totalsOf } from "../../../src/core/fiscal/totals.ts";
import type { PrintableDocument, PrintableLine, PrintableTransport } from "../../../src/core/print/printable.ts";
import { day, instant } from "../../support/days.ts";

/** A line of bread at 23 %. */
export const line = (more: Partial<PrintableLine> = {}): PrintableLine => ({
  product_code: "PAO-01",
  product_name: "Pão de Mafra",
  description: "Pão de Mafra",
  qty_micros: 2_000_000,
  unit: "un",
  unit_price_micros: 1_850_000,
  unit_price_gross_micros: null,
  discount_bps: 0,
  discount_cents: null,
  global_discount_micros: null,
  tax_rate_bps: 2300,
  tax_region: "PT",
  tax_code: "NOR",
  exemption_code: null,
  supply_date: null,
  ...more,
});

/** A line without tax. */
export const exempt = (more: Partial<PrintableLine> = {}): PrintableLine =>
  line({
    description: "Formação",
    product_name: "Formação",
    product_code: "FOR",
    tax_rate_bps: 0,
    tax_code: "ISE",
    exemption_code: "M07",
    ...more,
  });

/** An invoice of one line, without a certificate. Its totals follow from its lines. */
export function sample(more: Partial<PrintableDocument> = {}): PrintableDocument {
  const { global_discount_bps = 0, global_discount_cents = null } = more;
  const lines = sharedDiscount(more.lines ?? [line()], global_discount_cents);
  const { total_net_cents, total_tax_cents, total_gross_cents } = totalsOf(lines, global_discount_bps);
  return {
    doc_type: "FT",
    number: "FT 2026A/17",
    atcud: "CSDF7T5H-17",
    qr_code:
      "A:509442013*B:501442600*C:PT*D:FT*E:N*F:20261121*G:FT 2026A/17*H:CSDF7T5H-17*I1:PT*I7:3.70*I8:0.85*N:0.85*O:4.55*Q:0*R:0",
    status: "issued",
    cancelled_at: null,
    cancel_reason: null,
    issue_date: day("2026-11-21"),
    system_entry_date: entryTime(instant("2026-11-21T10:31:07.482Z")),
    issued_at: instant("2026-11-21T10:31:07.482Z"),
    issued_by: "K3",
    due_date: day("2026-12-21"),
    valid_until: null,
    supply_date: null,
    hash: "mYJEv4iGwLcnQbRD7dPs2uD1mX08XjXIKcGg3GEHmwMhmmGYusffIJjTdSITLX+uujTwzqmL/U5nvt6S9s8ijN3LwkJXsiEpt099e1MET/J8y3+Y1bN+K+YPJQiVmlQS0fXETsOPo8SwUZdBALt0vTo1VhUZKejACcjEYJ9G6nI=",
    certificate_number: 0,
    issuer: {
      name: "Padaria Central, Lda.",
      tax_id: "509442013",
      address: "Rua do Forno, 12",
      postal_code: "2640-389",
      city: "Mafra",
      country: "PT",
      cash_vat: false,
    },
    customer: {
      code: "C17",
      name: "Hotel Miramar, S.A.",
      tax_id: "501442600",
      address: "Avenida da Liberdade, 200",
      postal_code: "1250-147",
      city: "Lisboa",
      country: "PT",
    },
    global_discount_bps,
    global_discount_cents,
    total_net_cents,
    total_tax_cents,
    total_gross_cents,
    references: [],
    payments: [],
    transport: null,
    at_doc_code: null,
    notes: null,
    training: false,
    producer: { name: "Lacre Software, Lda.", tax_id: "508025338" },
    logo: null,
    footer_text: null,
    ...more,
    lines,
  };
}

/** A transport with every field set. */
export const transport: PrintableTransport = {
  start_at: entryTime(instant("2026-11-21T14:00:00.000Z")),
  end_at: entryTime(instant("2026-11-21T18:30:00.000Z")),
  from: { address: "Rua do Forno, 12", postal_code: "2640-389", city: "Mafra", country: "PT" },
  to: { address: "Avenida da Liberdade, 200", postal_code: "1250-147", city: "Lisboa", country: null },
  vehicle: "AA-00-BB",
};
