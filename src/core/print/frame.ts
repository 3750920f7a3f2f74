/** What every sheet of a paper says of the whole; the A4 page and the roll show the same. */
import { certificate, issuerName, type Told } from "./facts.ts";
import { titleOf, type Words } from "./labels.ts";
import { isInvoice, isRehearsal } from "./traits.ts";

/** The whole that a sheet is of, and what it must say of itself on each. */
export interface Frame {
  readonly title: string;
  readonly issuer: string;
  /** That it is no invoice, or no fiscal document; null on an invoice. */
  readonly mention: string | null;
  /** That it is a rehearsal or for training. */
  readonly alarms: readonly string[];
  readonly isCancelled: boolean;
  /** What names the program that made it; null where no program was certified for it. */
  readonly certificate: string | null;
  readonly atcud: string | null;
}

/** The frame of a paper that is no document, beside its words. */
export const OF_NO_DOCUMENT = { alarms: [], isCancelled: false, certificate: null, atcud: null } as const;

/** A paper in the words of one language. */
export interface Framed extends Words {
  readonly frame: Frame;
}

/** The frame of a document. */
export function frameOf(told: Told): Frame {
  const { document, labels, lang } = told;
  return {
    title: titleOf(document, lang),
    issuer: issuerName(document),
    mention: isInvoice(document) ? null : labels.no_invoice,
    alarms: [...(isRehearsal(document) ? [labels.rehearsal] : []), ...(document.training ? [labels.training] : [])],
    isCancelled: document.status === "cancelled",
    certificate: certificate(told),
    atcud: document.atcud,
  };
}
