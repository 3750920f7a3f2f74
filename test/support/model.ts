/** A plain model of companies and their documents, and steps that are taken in Lacre and in the model. */
import fc from "fast-check";
import type { ErrorCode } from "lacre";
import { expect } from "vitest";
import { aCustomer, aLineOf } from "./factories.ts";
import type { Home } from "./instance.ts";
import { expectRefusal } from "./refusals.ts";

/** The days documents are dated; today is the fourth, so the fifth is in the future. */
const DAYS = ["2026-11-18", "2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22"] as const;
const TODAY = 3;

/** Three series: two of invoices, one of credit notes. */
const SERIES = ["FT", "FT", "NC"] as const;

/** A document as the model knows it: plain facts, nothing derived. */
interface Modelled {
  readonly id: string;
  readonly series: number;
  status: "draft" | "issued" | "cancelled" | "discarded";
  day: number;
  cents: number;
  sequence: number | null;
  readonly credits: Modelled | null;
  readonly payments: Map<string, number>;
}

/** A company as the model knows it. */
export interface Model {
  readonly home: Home;
  readonly customer_id: string;
  readonly series: { readonly id: string; readonly code: string; next: number; lastDay: number; closed: boolean }[];
  readonly documents: Modelled[];
}

/** Something that is done to a company, and to its model. */
export type Step =
  | { do: "draft"; company: number; series: number; cents: number; day: number; which: number }
  | { do: "change"; company: number; which: number; cents: number; day: number }
  | { do: "pay"; company: number; which: number; cents: number }
  | { do: "discard" | "issue" | "cancel" | "void"; company: number; which: number }
  | { do: "close"; company: number; series: number };

const at = { company: fc.nat(1), which: fc.nat(20) };
const cents = fc.integer({ min: 1, max: 500 });
const day = fc.oneof({ weight: 3, arbitrary: fc.constant(TODAY) }, { weight: 2, arbitrary: fc.nat(DAYS.length - 1) });
const series = fc.nat(SERIES.length - 1);
const verb = <V extends Step["do"]>(name: V) => fc.constant(name);

/** What happens: any steps in any order. */
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: verb("draft"), ...at, series, cents, day }) },
    { weight: 2, arbitrary: fc.record({ do: verb("change"), ...at, cents, day }) },
    { weight: 6, arbitrary: fc.record({ do: verb("issue"), ...at }) },
    { weight: 3, arbitrary: fc.record({ do: verb("cancel"), ...at }) },
    { weight: 3, arbitrary: fc.record({ do: verb("pay"), ...at, cents }) },
    { weight: 2, arbitrary: fc.record({ do: verb("void"), ...at }) },
    { weight: 1, arbitrary: fc.record({ do: verb("discard"), ...at }) },
    { weight: 1, arbitrary: fc.record({ do: verb("close"), company: fc.nat(1), series }) },
  ),
  { minLength: 5, maxLength: 40 },
);

const sum = (amounts: Iterable<number>) => [...amounts].reduce((a, b) => a + b, 0);

const paidOn = (document: Modelled) => sum(document.payments.values());

const creditsOf = ({ documents }: Model, document: Modelled) =>
  documents.filter(({ credits, status }) => credits === document && status === "issued");

const outstandingOn = (model: Model, document: Modelled) =>
  document.cents - paidOn(document) - sum(creditsOf(model, document).map((credit) => credit.cents));

/** Why the model would not issue this document; undefined when it would. */
function whyNotIssue(model: Model, { status, day, series, cents, credits }: Modelled): ErrorCode | undefined {
  const own = model.series[series];
  if (status !== "draft") return "invalid_state";
  if (day > TODAY) return "invalid_request";
  if (credits && credits.day > day) return "invalid_request";
  if (credits && credits.status !== "issued") return "invalid_state";
  const credited = credits ? sum(creditsOf(model, credits).map((credit) => credit.cents)) : 0;
  if (credits && credited + cents > credits.cents) return "credit_exceeds_original";
  if (own?.closed) return "series_closed";
  if (own && own.lastDay > day) return "date_out_of_order";
  return undefined;
}

/** Takes one step in both, and expects of Lacre what the model does. */
export async function play(models: readonly Model[], step: Step): Promise<void> {
  const model = models[step.company] as Model;
  const { company } = model.home;
  if (step.do === "draft") return draft(model, step);
  if (step.do === "close") {
    const own = model.series[step.series] as Model["series"][number];
    await company.series.change({ id: own.id, status: "closed" });
    own.closed = true;
    return;
  }
  const document = model.documents[step.which % Math.max(model.documents.length, 1)];
  if (!document) return;
  const { id } = document;
  const gone: ErrorCode | undefined = document.status === "discarded" ? "not_found" : undefined;

  if (step.do === "issue") {
    const refused = gone ?? whyNotIssue(model, document);
    const call = company.documents.issue({ id });
    if (refused) return expectRefusal(call, refused);
    const own = model.series[document.series] as Model["series"][number];
    await call;
    document.status = "issued";
    document.sequence = own.next++;
    own.lastDay = document.day;
  } else if (step.do === "change") {
    const call = company.documents.change({
      id,
      lines: [aLineOf(step.cents / 100)],
      issue_date: DAYS[step.day] as string,
    });
    if (gone || document.status !== "draft") return expectRefusal(call, gone ?? "invalid_state");
    await call;
    document.cents = step.cents;
    document.day = step.day;
  } else if (step.do === "discard") {
    const referenced = model.documents.some(({ credits, status }) => credits === document && status !== "discarded");
    const call = company.documents.discard({ id });
    if (gone || document.status !== "draft" || referenced) return expectRefusal(call, gone ?? "invalid_state");
    await call;
    document.status = "discarded";
  } else if (step.do === "cancel") {
    const call = company.documents.cancel({ id });
    if (gone || document.status !== "issued") return expectRefusal(call, gone ?? "invalid_state");
    if (creditsOf(model, document).length > 0 || paidOn(document) > 0) return expectRefusal(call, "document_settled");
    await call;
    document.status = "cancelled";
  } else if (step.do === "pay") {
    const amount = step.cents / 100;
    const call = company.payments.record({ id, amount, method_code: "NU", payment_date: DAYS[TODAY] });
    const takes = document.status === "issued" && SERIES[document.series] === "FT";
    if (gone || !takes) return expectRefusal(call, gone ?? "invalid_state");
    if (step.cents > outstandingOn(model, document)) return expectRefusal(call, "payment_exceeds_balance");
    document.payments.set((await call).id, step.cents);
  } else {
    const [payment] = document.payments.keys();
    if (payment === undefined) return;
    await company.payments.void({ id: payment });
    document.payments.delete(payment);
    await expectRefusal(company.payments.void({ id: payment }), "not_found");
  }
}

async function draft(model: Model, step: Step & { do: "draft" }): Promise<void> {
  const doc_type = SERIES[step.series] as "FT" | "NC";
  const invoices = model.documents.filter(
    (document) => SERIES[document.series] === "FT" && document.status !== "discarded",
  );
  const credits = doc_type === "NC" ? (invoices[step.which % Math.max(invoices.length, 1)] ?? null) : null;
  const { id } = await model.home.company.documents.create({
    doc_type,
    series_id: model.series[step.series]?.id ?? "",
    customer_id: model.customer_id,
    issue_date: DAYS[step.day] as string,
    lines: [aLineOf(step.cents / 100)],
    references: credits ? [{ document_id: credits.id }] : [],
  });
  const { series, day, cents } = step;
  model.documents.push({ id, series, status: "draft", day, cents, sequence: null, credits, payments: new Map() });
}

/** Compares everything Lacre shows of a company with the model. */
export async function compare(model: Model): Promise<void> {
  const { company } = model.home;
  const { data } = await company.documents.list({ limit: 200 });
  const shown = new Map(data.map((document) => [document.id, document]));
  const live = model.documents.filter(({ status }) => status !== "discarded");
  expect(shown.size).toBe(live.length);
  for (const document of live) {
    const own = model.series[document.series];
    const doc_type = SERIES[document.series];
    const balanced = document.status === "issued" && doc_type === "FT";
    const left = outstandingOn(model, document);
    const untouched = left === document.cents;
    expect(shown.get(document.id)).toMatchObject({
      doc_type,
      status: document.status,
      issue_date: DAYS[document.day],
      total_gross: document.cents / 100,
      number: document.sequence === null ? null : `${doc_type} ${own?.code}/${document.sequence}`,
      outstanding: balanced ? left / 100 : null,
      payment_status: balanced ? (left <= 0 ? "paid" : untouched ? "unpaid" : "partial") : null,
      references: document.credits ? [{ document_id: document.credits.id }] : [],
    });
  }
  for (const { id, next, closed } of model.series) {
    const status = closed ? "closed" : "active";
    expect(await company.series.get({ id })).toMatchObject({ next_number: next, status });
  }
  const payments = await company.payments.list({ limit: 200 });
  const due = model.documents.flatMap((document) => [...document.payments.keys()]);
  expect(payments.data.map(({ id }) => id).sort()).toEqual(due.sort());
  const issued = model.documents.filter(({ sequence }) => sequence !== null).length;
  expect(await company.series.verify()).toMatchObject({ whole: true, documents: issued });
}

/** Opens what the model's company has in Lacre, too. */
export async function aModel(home: Home): Promise<Model> {
  const second = await home.company.series.create({ doc_type: "FT", code: "B" });
  const fresh = { next: 1, lastDay: -1, closed: false };
  return {
    home,
    customer_id: (await aCustomer(home)).id,
    series: [
      { id: home.series.FT, code: "2026A", ...fresh },
      { id: second.id, code: "B", ...fresh },
      { id: home.series.NC, code: "2026A", ...fresh },
    ],
    documents: [],
  };
}
