/** Takings: the money of one day, by means and by who recorded it. */
import * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import { preparedSelect } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { isJust } from "../database/words.ts";
import { Day, Money } from "../fields.ts";
import { civilDate } from "../fiscal/civil-time.ts";
import { fromCents } from "../fiscal/money.ts";
import { PAYMENT_CODES, PAYMENT_KINDS, type PaymentCode, type PaymentKind } from "../fiscal/payment-means.ts";
import { ActorShown, findActors } from "../people/actors.ts";
import { query } from "../runtime/operation.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { moneyColumn } from "./balances.ts";
import { MethodCode } from "./payments.ts";

const sums = {
  received: Money,
  refunded: Money,
  total: Money.describe("What was received, less what was given back."),
  payments: z.int().describe("How many payments; an FR whose means nobody stated counts as one."),
  refunds: z.int().describe("How many refunds."),
};

const byMeans = z
  .array(z.strictObject({ method_code: z.union([MethodCode, z.null()]), ...sums }))
  .describe("In the order of the codes; null for what FRs were paid by means that nobody stated.");

export const Takings = z
  .strictObject({
    date: Day,
    ...sums,
    means: byMeans,
    actors: z
      .array(z.strictObject({ actor: ActorShown, ...sums, means: byMeans }))
      .describe("The same by who recorded it, in the order of their codes."),
  })
  .meta({
    id: "Takings",
    description: "The payments and refunds of one day by their payment_date, voided ones left out. No fiscal document.",
  });
export type Takings = z.infer<typeof Takings>;

/** The day whose takings are asked for. */
export const TakingsInput = z.strictObject({ date: Day.optional().describe("Today when left out.") });

export const getTakings = query(
  {
    id: "getTakings",
    summary: "The takings of a day, by means and by who recorded them",
    needs: "payments:read",
    input: TakingsInput,
    output: Takings,
    fails: [],
  },
  takingsOf,
);

/** The takings of a day; of today, in the company's time zone, when it is left out. */
export async function takingsOf(scope: ReadScope, input: z.output<typeof TakingsInput>): Promise<Takings> {
  const { db, company_id, now } = scope;
  const date = input.date ?? civilDate(now, (await mustFindCompany(scope)).time_zone);
  const found = { company_id, date };
  const money: Taken[] = (await unstatedOf(db, found)).flatMap(({ issued_by, total_gross_cents, paid_cents }) => {
    const cents = total_gross_cents - paid_cents;
    return cents > 0 && issued_by !== null
      ? [{ kind: "payment" as const, method_code: null, created_by: issued_by, cents, count: 1 }]
      : [];
  });
  for (const kind of PAYMENT_KINDS) {
    for (const row of await RECORDED[kind](db, found)) money.push({ kind, ...row, count: Number(row.count) });
  }
  const actors = await findActors(
    scope,
    money.map(({ created_by }) => created_by),
  );
  return {
    date,
    ...summed(money),
    means: meansIn(money),
    actors: [...Map.groupBy(money, ({ created_by }) => created_by)]
      .map(([id, own]) => ({
        actor: actors.get(id) as z.infer<typeof ActorShown>,
        ...summed(own),
        means: meansIn(own),
      }))
      .sort((a, b) => a.actor.code.localeCompare(b.actor.code, "en", { numeric: true })),
  };
}

/** Money of one kind, of one means and by one actor. */
interface Taken {
  readonly kind: PaymentKind;
  readonly method_code: PaymentCode | null;
  readonly created_by: string;
  readonly cents: number;
  readonly count: number;
}

function summed(money: readonly Taken[]) {
  const of = (kind: PaymentKind, field: "cents" | "count") =>
    money.reduce((sum, one) => sum + (one.kind === kind ? one[field] : 0), 0);
  const [received, refunded] = [of("payment", "cents"), of("refund", "cents")];
  return {
    received: fromCents(received),
    refunded: fromCents(refunded),
    total: fromCents(received - refunded),
    payments: of("payment", "count"),
    refunds: of("refund", "count"),
  };
}

function meansIn(money: readonly Taken[]): z.infer<typeof byMeans> {
  return [...PAYMENT_CODES, null].flatMap((method_code) => {
    const own = money.filter((one) => one.method_code === method_code);
    return own.length > 0 ? [{ method_code, ...summed(own) }] : [];
  });
}

interface OfDay {
  readonly company_id: string;
  readonly date: Day;
}

const recordedOf = (kind: PaymentKind) =>
  preparedSelect((db, { company_id, date }: OfDay) =>
    db
      .selectFrom("payments")
      .select(["method_code", "created_by"])
      .select(({ fn }) => [fn.sum<number>("amount_cents").as("cents"), fn.countAll<number>().as("count")])
      .where("company_id", "=", company_id)
      .where("payment_date", "=", date)
      .where("voided_at", "is", null)
      .where(isJust("kind", kind))
      .groupBy("method_code")
      .groupBy("created_by"),
  );

const RECORDED = { payment: recordedOf("payment"), refund: recordedOf("refund") };

/** The FRs of a day, each with what was stated of its means on any day: all of an FR is paid when it is issued. */
const unstatedOf = preparedSelect((db, { company_id, date }: OfDay) =>
  db
    .selectFrom("documents")
    .select(["issued_by", "total_gross_cents"])
    .select((eb) => moneyColumn(eb, "payment").as("paid_cents"))
    .where("company_id", "=", company_id)
    .where("doc_type", "=", "FR" satisfies Row<"documents">["doc_type"])
    .where("issue_date", "=", date)
    .where("status", "=", "issued")
    .where("training", "=", 0),
);
