/** A random history of a shop, and what verifying finds after it. */
import { LacreError, type NewDocument, type NewDocumentLine } from "lacre";
import type { Document } from "../../src/core/documents/document.ts";
import type { Chance } from "./chance.ts";
import { TODAY } from "./drivers.ts";
import { aCreditNote, aCustomer, aDraft, aLineOf, anInvoice, aPayment } from "./factories.ts";
import type { Instance } from "./instance.ts";

/** What verifying finds first, with the number of the document where it is one of these; null where all is right. */
export async function fault({ company }: Pick<Instance, "company">): Promise<string | null> {
  const { whole, series, findings } = await company.series.verify();
  if (whole) return null;
  const finding = series.find((one) => one.finding)?.finding;
  return finding ? `${finding.number}: ${finding.reason}` : (findings[0]?.reason ?? "");
}

/** What a history is made of. */
interface Setting {
  /** How many things happen. */
  readonly acts: number;
  /** The days that documents are dated; they end at the clock's. */
  readonly days?: readonly string[];
  /** A line of so many EUR. */
  readonly line?: (amount: number) => NewDocumentLine;
}

/** So many things that a shop does, to random documents; training documents are among them. */
export async function aHistory(
  home: Instance,
  chance: Chance,
  { acts, days = ["2026-11-19", "2026-11-20", TODAY], line = aLineOf }: Setting,
): Promise<void> {
  const customers = [(await aCustomer(home)).id, (await aCustomer(home)).id];
  const code = `TREINO${chance.below(1_000_000)}`;
  const training = await home.company.series.create({ doc_type: "FT", code, training: true });
  for (let i = 0; i < acts; i++) await anAct(home, chance, { customers, days, line, training: training.id });
}

interface Shop extends Required<Omit<Setting, "acts">> {
  readonly customers: readonly string[];
  readonly training: string;
}

/** Something a shop does to a random document; what the law does not allow is refused, and changes nothing. */
async function anAct(home: Instance, chance: Chance, { customers, days, line, training }: Shop): Promise<void> {
  const { company } = home;
  const { data } = await company.documents.list({ limit: 200 });
  const document = data.length === 0 ? undefined : chance.oneOf(data);
  const cents = () => chance.oneOf([0, 1, 5_000, 10_000, chance.below(10_000)]) / 100;
  const day = () => chance.oneOf(days);
  const payments = () => ({ payments: [{ amount: cents(), method_code: "NU", payment_date: day() } as const] });
  const fields = (): Partial<NewDocument> => ({
    customer_id: chance.oneOf(customers),
    lines: [line(chance.oneOf([100, 100, cents()]))],
    issue_date: day(),
  });
  const acts: (() => Promise<unknown>)[] = [
    () => anInvoice(home, { ...fields(), doc_type: chance.oneOf(["FT", "FS", "FR", "ND", "OR"]) }),
    () => anInvoice(home, { ...fields(), ...payments(), doc_type: chance.oneOf(["FT", "FR"]) }),
    () => anInvoice(home, { ...fields(), series_id: training }),
    () => aDraft(home, { ...fields(), doc_type: chance.oneOf(["FT", "FR"]) }),
    async () => document && company.documents.issue({ id: document.id }),
    async () => document && company.documents.cancel({ id: document.id }),
    async () => document && company.documents.discard({ id: document.id }),
    async () => document && aPayment(home, document, cents()),
    async () => {
      const refund = { amount: cents(), method_code: "NU", payment_date: day(), kind: "refund" } as const;
      if (document) await company.payments.record({ id: document.id, ...refund });
    },
    async () => {
      const { data } = await company.payments.list();
      if (data.length > 0) await company.payments.void({ id: chance.oneOf(data).id });
    },
    async () =>
      document &&
      aCreditNote(home, document as Document, { lines: [line(cents())], issue: !chance.below(2), issue_date: day() }),
    async () => {
      const [one, two] = [chance.oneOf(data), chance.oneOf(data)];
      const references = [one, two].map(({ id }) => ({ document_id: id, amount: 10 }));
      const lines = [one, two].map(({ id }) => ({ ...line(10), reference_id: id }));
      await anInvoice(home, { doc_type: "NC", customer_id: one.customer_id, references, lines, issue_date: day() });
    },
    async () => {
      const references = [{ document_id: chance.oneOf(data).id }];
      await anInvoice(home, { ...fields(), doc_type: "RC", references, lines: [line(10)] });
    },
  ];
  await chance
    .oneOf(acts)()
    .catch((error) => {
      if (!(error instanceof LacreError) && !(error instanceof TypeError && !document)) throw error;
    });
}
