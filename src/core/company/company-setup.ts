/** How many companies an owner may create without the operator: each makes ten series and a key to verify. */
import type * as z from "zod";
import { recordEvent } from "../events/events.ts";
import { withdrawResets } from "../people/invitations.ts";
import { sessionOf } from "../people/sessions.ts";
import { joinCompany, joinWaitingOwners, membershipsOf, mustFindUser } from "../people/users.ts";
import { refuse } from "../runtime/errors.ts";
import { command } from "../runtime/operation.ts";
import { mustBeConfirmed } from "../runtime/permissions.ts";
import type { WriteScope } from "../runtime/scope.ts";
import { openFirstSeries } from "../series/series.ts";
import { Company, insertCompany, NewCompany, toCompany } from "./companies.ts";
import { t } from "./refusals.ts";

/** How many companies an owner may have made without the operator: each makes ten series and a key to verify. */
const MAX_OWNED = 20;

export const createCompany = command(
  {
    id: "createCompany",
    summary: "Create a company with one series per document type for the current year",
    needs: "operator",
    input: NewCompany,
    output: Company,
    fails: ["conflict"],
  },
  setUp,
);

export const createOwnCompany = command(
  {
    id: "createOwnCompany",
    summary: "Create a company, and become its owner; for an owner of another, or the first user there is",
    needs: "person",
    input: NewCompany,
    output: Company,
    fails: ["unauthorized", "password_required", "invalid_state", "conflict"],
  },
  async (scope, input) => {
    const { user_id } = sessionOf(scope);
    const memberships = await membershipsOf(scope.db, user_id);
    const owned = memberships.filter(({ role, disabled_at }) => role === "owner" && disabled_at === null);
    if (memberships.length > 0) {
      if (owned.length === 0) refuse("forbidden", t.only_owners_make_companies);
      mustBeConfirmed(scope.caller, scope.now);
      if (owned.length >= MAX_OWNED) refuse("invalid_state", t.owns_most_companies({ max: MAX_OWNED }));
    }
    const company = await setUp(scope, input);
    await joinCompany({ ...scope, company_id: company.id }, await mustFindUser(scope.db, user_id), "owner");
    await withdrawResets(scope, user_id);
    return company;
  },
);

async function setUp(scope: WriteScope, input: z.output<typeof NewCompany>): Promise<Company> {
  const created = await insertCompany(scope, input);
  await scope.signer(); // creates the installation's own key now rather than at the first invoice
  const inside: WriteScope = { ...scope, company_id: created.id };
  await recordEvent(inside, "company.created", created.id);
  await openFirstSeries(inside, created);
  await joinWaitingOwners(inside);
  return toCompany(created);
}
