/**
 * Several programs on one PostgreSQL schema, who do at the same moment what only one of them may. Every command takes
 * the row of its company first; the control leaves that out, so that rows are locked only as they are changed.
 */
import { type Lacre, LacreError, pemSigner } from "lacre";
import { describe, expect, test } from "vitest";
import type { Engine } from "../../src/core/database/engine.ts";
import type { LacreDialect } from "../../src/core/database/executor.ts";
import type { Document } from "../../src/core/documents/document.ts";
import { PERSON_OPERATIONS } from "../../src/core/operations.ts";
import { HAS_SERVER } from "../support/databases.ts";
import { TODAY } from "../support/drivers.ts";
import { aCreditNote, aDraft, aLineOf, anInvoice, invoiceInput } from "../support/factories.ts";
import { fault } from "../support/history.ts";
import { aCompany, type Home } from "../support/instance.ts";
import { aPrivateKey } from "../support/keys.ts";
import { aNif } from "../support/nif.ts";
import { aPlace, homesOf, openPrograms, type Programs } from "../support/postgres.ts";
import { atScale, figuresOf } from "./scale.ts";

const NOON = new Date(`${TODAY}T12:00:00Z`);

/** The outcome of one contender: what it was answered, the code it was refused with, or an error that is neither. */
interface Outcome {
  readonly answer?: unknown;
  readonly code?: string;
  readonly broke?: unknown;
}

type Three<T> = readonly [T, T, T];

/** Something that several try at the same moment. */
interface Race {
  readonly name: string;
  /** Prepares a round, and gives what each contender does: the first of one program, the second of another. */
  begin(homes: Three<Home>, round: number, programs: Three<Lacre>): Promise<readonly (() => Promise<unknown>)[]>;
  /** Throws where these outcomes are not those of one after the other. None of them is an error that is no refusal. */
  judge(outcomes: readonly Outcome[], home: Home): Promise<void> | void;
}

const codesOf = (outcomes: readonly Outcome[]) => outcomes.map(({ code = "done" }) => code).sort();

const RACES: readonly Race[] = [
  {
    name: "credit notes over more than their invoice",
    async begin(homes) {
      const invoice = await anInvoice(homes[0], { lines: [aLineOf(100)] });
      return homes.map((home) => () => aCreditNote(home, invoice, { lines: [aLineOf(60)] }));
    },
    judge(outcomes) {
      expect(codesOf(outcomes)).toEqual(["credit_exceeds_original", "credit_exceeds_original", "done"]);
    },
  },
  {
    name: "payments of more than is owed",
    async begin(homes) {
      const { id } = await anInvoice(homes[0], { lines: [aLineOf(100)] });
      return homes.map(
        ({ company }) =>
          () =>
            company.payments.record({ id, amount: 60, method_code: "NU", payment_date: TODAY }),
      );
    },
    judge(outcomes) {
      expect(codesOf(outcomes)).toEqual(["done", "payment_exceeds_balance", "payment_exceeds_balance"]);
    },
  },
  {
    name: "one Idempotency-Key",
    async begin(homes, round) {
      const input = await invoiceInput(homes[0], { issue: true });
      return homes.map(
        ({ company }) =>
          () =>
            company.documents.create(input, { idempotency_key: `round-${round}` }),
      );
    },
    judge(outcomes) {
      const [first, ...others] = outcomes.map(({ answer }) => answer);
      expect(first).toMatchObject({ status: "issued" });
      for (const other of others) expect(other).toEqual(first);
    },
  },
  {
    name: "one series code",
    async begin(homes, round) {
      return homes.map(
        ({ company }) =>
          () =>
            company.series.create({ doc_type: "FT", code: `R${round}` }),
      );
    },
    judge(outcomes) {
      expect(codesOf(outcomes)).toEqual(["conflict", "conflict", "done"]);
    },
  },
  {
    name: "a draft that is changed while it is issued",
    async begin(homes) {
      const { id } = await aDraft(homes[0], { lines: [aLineOf(100)] });
      const [issuing, ...changing] = homes;
      return [
        () => issuing.company.documents.issue({ id }),
        ...changing.map(
          ({ company }, i) =>
            () =>
              company.documents.change({ id, lines: [aLineOf(200 + i), aLineOf(1)] }),
        ),
      ];
    },
    async judge(outcomes, { company }) {
      const issued = outcomes[0]?.answer as Document;
      const shown = await company.documents.get({ id: issued.id });
      expect(shown).toMatchObject(issued);
      for (const { answer, code } of outcomes.slice(1)) {
        if (answer === undefined) expect(code).toBe("invalid_state");
        else expect(answer).toMatchObject({ status: "draft" });
      }
    },
  },
  {
    name: "an invitation that is used while documents are issued",
    async begin([one, two], round, [, , accepting]) {
      const login = `rui${round}@loja.pt`;
      const token = (await one.company.users.invite({ login, role: "cashier" })).link_path.split("#")[1];
      const draft = await aDraft(one);
      const visitor = accepting.visitor({ address: null, network: null, user_agent: null });
      const input = { token, name: "Rui", password: "quatro palavras sem nexo" };
      return [
        () => accepting.run(visitor, PERSON_OPERATIONS.invitations.accept, input),
        () => one.company.documents.issue({ id: draft.id }),
        () => two.company.customers.create({ name: "Eva" }),
      ];
    },
    judge(outcomes) {
      expect(codesOf(outcomes)).toEqual(["done", "done", "done"]);
    },
  },
];

async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { answer: await work() };
  } catch (error) {
    return error instanceof LacreError ? { code: error.code } : { broke: error };
  }
}

interface Counted extends Record<string, number> {
  rounds: number;
  /** Rounds with outcomes that one after the other would not have had. */
  wrong: number;
  /** Rounds with an error that is no refusal, such as a duplicate key: HTTP answers 500. */
  broken: number;
}

/** Runs rounds of a race; of one that is to go wrong, until it does. Returns what went wrong in the first that did. */
async function run(race: Race, programs: Three<Lacre>, rounds: number, counted: Counted, together?: Meeting) {
  const { ready, meet } = together ?? {};
  const { id } = await programs[0].companies.create({ name: "Padaria", tax_id: "500000000" });
  const homes = (await homesOf(programs, id)) as unknown as Three<Home>;
  let first: unknown;
  for (let round = 1; round <= rounds && !(together && first); round++) {
    const contenders = await race.begin(homes, round, programs);
    meet?.(contenders.length);
    const outcomes = await Promise.all(contenders.map(outcomeOf));
    ready?.();
    counted.rounds++;
    const broke = outcomes.find((outcome) => "broke" in outcome)?.broke;
    if (broke !== undefined) counted.broken++;
    try {
      if (broke === undefined) await race.judge(outcomes, homes[0]);
    } catch (error) {
      counted.wrong++;
      first ??= error;
    }
    first ??= broke;
  }
  return { first, home: homes[0] };
}

/** Where contenders wait for each other before they read anything. */
interface Meeting {
  /** The next so many wait until all of them have come. */
  meet(count: number): void;
  /** Nobody waits any more. */
  ready(): void;
  come(): Promise<void>;
}

function aMeeting(): Meeting {
  let missing = 0;
  let met = Promise.withResolvers<void>();
  const ready = () => {
    missing = 0;
    met.resolve();
  };
  return {
    meet(count) {
      missing = count;
      met = Promise.withResolvers();
    },
    ready,
    come() {
      if (missing === 0) return Promise.resolve();
      if (--missing === 0) ready();
      return met.promise;
    },
  };
}

/** Lacre that asks for no lock: rows are locked as they are changed, such as that of the series when it moves on. */
function withoutLocks(dialect: LacreDialect, { come }: Meeting): LacreDialect {
  const { compiler } = dialect.engine;
  const engine: Engine = {
    ...dialect.engine,
    async lock() {
      await come();
      return undefined;
    },
    compiler: {
      compileQuery(node, id) {
        const query = compiler.compileQuery(node, id);
        return { ...query, sql: query.sql.replace(/ for no key update$/, "") };
      },
    },
  };
  return { ...dialect, engine };
}

async function threePrograms(options: Programs): Promise<Three<Lacre>> {
  return (await openPrograms(aPlace(), 3, options)) as unknown as Three<Lacre>;
}

/** Cheap, as many log in. */
const PASSWORD_COST = { ln: 4, r: 8, p: 1 };

function counting(name: string): Counted {
  const counted = { rounds: 0, wrong: 0, broken: 0 };
  figuresOf(name, counted);
  return counted;
}

describe.skipIf(!HAS_SERVER)("three programs on one PostgreSQL schema", () => {
  test.each(RACES)("$name: as if one came after the other", async (race) => {
    const counted = counting(`race: ${race.name}`);
    const programs = await threePrograms({ now: () => NOON, passwordCost: PASSWORD_COST });
    const { first, home } = await run(race, programs, atScale(25, 1_000), counted);
    expect(first).toBe(undefined);
    expect(counted).toMatchObject({ wrong: 0, broken: 0 });
    expect(await fault(home)).toBe(null);
  });

  test("companies that issue at the same moment record a new key of the host's once", async () => {
    const place = aPlace();
    const [first] = (await openPrograms(place, 1, { now: () => NOON })) as [Lacre];
    const homes = await Promise.all([aCompany(first), aCompany(first), aCompany(first)]);
    for (let key_version = 2; key_version <= atScale(6, 100); key_version++) {
      const signer = pemSigner(aPrivateKey(), key_version);
      const programs = await openPrograms(place, homes.length, { now: () => NOON, signer });
      const drafts = await Promise.all(homes.map((home) => aDraft(home)));
      const issuing = drafts.map(({ id }, i) =>
        outcomeOf(async () => programs[i]?.as(homes[i]?.company_id ?? "").documents.issue({ id })),
      );
      // Locks every company once it has the installation, and an issue asks for these the other way round.
      const creating = outcomeOf(() => first.companies.create({ name: "Outra", tax_id: aNif() }));
      for (const { answer, broke } of await Promise.all(issuing)) {
        expect(broke).toBe(undefined);
        expect(answer).toMatchObject({ status: "issued" });
      }
      expect(await creating).toMatchObject({ answer: { name: "Outra" } });
      await Promise.all(programs.map((lacre) => lacre.close()));
    }
    for (const home of homes) expect(await fault(home)).toBe(null);
  });

  test.each(RACES)("$name: the control, where only changes lock, goes wrong", async (race) => {
    const counted = counting(`race, control: ${race.name}`);
    const meeting = aMeeting();
    const by = (dialect: LacreDialect) => withoutLocks(dialect, meeting);
    const programs = await threePrograms({ now: () => NOON, passwordCost: PASSWORD_COST, by });
    await run(race, programs, 1_000, counted, meeting);
    expect(counted.wrong + counted.broken).toBeGreaterThan(0);
  });
});
