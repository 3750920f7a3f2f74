/** Setting a company up: its row, the key it signs with, and a series per document type. */
import { Company, insertCompany, NewCompany, toCompany } from "./companies.ts";
import { recordEvent } from "./events.ts";
import { command } from "./runtime/operation.ts";
import type { WriteScope } from "./runtime/scope.ts";
import { openFirstSeries } from "./series/series.ts";

export const createCompany = command(
  {
    id: "createCompany",
    summary: "Create a company with one series per document type for the current year",
    needs: "operator",
    input: NewCompany,
    output: Company,
    fails: [],
  },
  async (scope, input) => {
    const created = await insertCompany(scope, input);
    await scope.signer(); // creates the installation's own key now rather than at the first invoice
    const inside: WriteScope = { ...scope, company_id: created.id };
    await recordEvent(inside, "company.created", created.id);
    await openFirstSeries(inside, created);
    return toCompany(created);
  },
);
