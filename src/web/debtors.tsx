/** Who owes, since when and how much, as columns of a table. */
import type { Figures } from "../core/face.ts";
import { FINAL_CONSUMER_NAME } from "../core/fiscal/tax-id.ts";
import { todayHere } from "./clock.ts";
import type { Column } from "./reading/table.tsx";
import { href } from "./router.ts";
import { day, money } from "./words/decimals.ts";
import { texts } from "./words/texts.ts";

const t = texts({
  customer: ["Cliente", "Customer"],
  tax_id: ["NIF {tax_id}", "Tax number {tax_id}"],
  since: ["Desde", "Since"],
  overdue: ["venceu em {date}", "was due on {date}"],
  outstanding: ["Em dívida", "Outstanding"],
});

type Owing = Figures["owed"]["largest"][number];

/** The day of the first unpaid document, and whether it is past due. */
export function Since({ oldest: { document_id, issue_date, due_date } }: Pick<Owing, "oldest">) {
  return (
    <span>
      <a class="whole" href={href(`/documents/${document_id}`)}>
        {day(issue_date)}
      </a>
      {due_date && due_date < todayHere() && <small>{t.overdue({ date: day(due_date) })}</small>}
    </span>
  );
}

/** The columns. */
export const debtorColumns = (): readonly Column<Owing>[] => [
  {
    title: t.customer,
    cell: ({ customer_id, name, tax_id }) => (
      <>
        <a href={href(`/customers/${customer_id}`)}>{name}</a>
        {name === FINAL_CONSUMER_NAME && <small>{t.tax_id({ tax_id: tax_id ?? "" })}</small>}
      </>
    ),
  },
  { title: t.since, cell: ({ oldest }) => <Since oldest={oldest} /> },
  { title: t.outstanding, kind: "number", cell: ({ outstanding }) => money(outstanding) },
];
