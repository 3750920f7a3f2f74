/** Cells of tables of documents. */
import type { DocumentSummary } from "../../core/face.ts";
import { href } from "../router.ts";
import { day, money } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";

const t = texts({ still: ["falta {eur}", "{eur} left"] });

/** The number of a document, which leads to it. */
export const DocumentLink = ({ id, number }: { readonly id: string; readonly number: string | null }) => (
  <a href={href(`/documents/${id}`)}>{number}</a>
);

/** A day that no line breaks. */
export const Day = ({ of }: { readonly of: DocumentSummary["issue_date"] }) => <span class="whole">{day(of)}</span>;

/** The total, crossed out if it no longer counts, and the rest of a partly paid one. */
export const Total = ({ of }: { readonly of: DocumentSummary }) => (
  <>
    {of.status === "cancelled" ? <s>{money(of.total_gross)}</s> : money(of.total_gross)}
    {of.payment_status === "partial" && of.outstanding !== null && (
      <small>{t.still({ eur: money(of.outstanding) })}</small>
    )}
  </>
);
