/** Papers that are no documents: a customer's statement, and the takings of a day. */
import { findLogo, mustFindCompany } from "../company/companies.ts";
import type { Row } from "../database/tables.ts";
import { PaperLanguage } from "../fields.ts";
import type { Instant } from "../fiscal/civil-time.ts";
import type { PrintedNow } from "../print/printable.ts";
import { findCustomer } from "../records/customers.ts";
import { queryDrawn } from "../runtime/operation.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { DocumentPdf, languageFor } from "./print.ts";
import { StatementInput, statementOf } from "./statement.ts";
import { TakingsInput, takingsOf } from "./takings.ts";

export const getStatementPdf = queryDrawn(
  {
    id: "getStatementPdf",
    summary: "A customer's statement of a period, as PDF",
    needs: "documents:read",
    input: StatementInput.extend({
      lang: PaperLanguage.optional().describe(
        "The language of the labels; when left out the customer's, else the company's, else Portuguese.",
      ),
    }),
    output: DocumentPdf,
    fails: ["not_found"],
  },
  async (scope, { lang, ...asked }) => {
    const statement = await statementOf(scope, asked);
    const customer = (await findCustomer(scope, asked.id)) as Row<"customers">;
    const printed = await printedNow(scope);
    return {
      lang: lang ?? languageFor(customer, printed.company),
      statement: { ...statement, ...printed, customer },
    };
  },
  async ({ lang, statement }, signal) => {
    const { printStatement } = await import("../print/print.ts");
    const { customer, from, to } = statement;
    const name = `${lang === "pt" ? "extrato" : "statement"}-${customer.code}-${from}-${to}.pdf`;
    return { name, pdf: await printStatement(statement, lang, signal) };
  },
);

export const getTakingsPdf = queryDrawn(
  {
    id: "getTakingsPdf",
    summary: "The takings of a day, as PDF for a receipt printer",
    needs: "payments:read",
    input: TakingsInput.extend({
      lang: PaperLanguage.optional().describe(
        "The language of the labels; when left out the company's, else Portuguese.",
      ),
    }),
    output: DocumentPdf,
    fails: [],
  },
  async (scope, { lang, ...asked }) => {
    const takings = await takingsOf(scope, asked);
    const printed = await printedNow(scope);
    return { lang: lang ?? languageFor(undefined, printed.company), takings: { ...takings, ...printed } };
  },
  async ({ lang, takings }, signal) => {
    const { printTakings } = await import("../print/print.ts");
    const name = `${lang === "pt" ? "apuro" : "takings"}-${takings.date}.pdf`;
    return { name, pdf: await printTakings(takings, lang, signal) };
  },
);

/** The company as it is today, and the time of the call. */
async function printedNow(scope: ReadScope) {
  const company = await mustFindCompany(scope);
  return {
    company: { ...company, logo: await findLogo(scope) },
    printed_at: scope.now.toISOString() as Instant,
  } satisfies PrintedNow;
}
