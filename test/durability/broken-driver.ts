/**
 * Loaded before the program by the controls of the durability tests: breaks better-sqlite3 in the way that
 * LACRE_TEST_BREAKS names, so that the same program loses acknowledged work.
 */
import Database from "better-sqlite3";

type Statement = Pick<Database.Statement, "reader" | "all" | "run" | "iterate">;
type Breaks = (sql: string, statement: Statement) => Statement;

const DONE = { changes: 0, lastInsertRowid: 0 };
/** Commits that are only reported, for each that is made. */
const HASTY_COMMITS = 8;

/** Reports a commit that is not made yet: the next real one takes it along. */
function acknowledgeFirst(): Breaks {
  let commits = 0;
  let open = false;
  return (sql, statement) => {
    const runs: Record<string, Statement["run"]> = {
      "begin immediate": (parameters) => (open ? DONE : statement.run(parameters)),
      commit(parameters) {
        open = ++commits % HASTY_COMMITS !== 0;
        return open ? DONE : statement.run(parameters);
      },
      rollback(parameters) {
        open = false;
        return statement.run(parameters);
      },
    };
    const run = runs[sql];
    return run ? { ...shapeOf(statement), run } : statement;
  };
}

/** Leaves out the flush at each commit, and reports it as done. */
function dontFlush(): Breaks {
  return (sql, statement) =>
    sql === "pragma synchronous" ? { ...shapeOf(statement), all: () => [{ synchronous: 2 }] } : statement;
}

/** Swallows the error of a commit. */
function swallow(): Breaks {
  return (sql, statement) => {
    if (sql !== "commit") return statement;
    const run = (parameters: readonly unknown[]) => {
      try {
        return statement.run(parameters);
      } catch {
        return DONE;
      }
    };
    return { ...shapeOf(statement), run };
  };
}

function shapeOf(statement: Statement): Statement {
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(parameters),
    run: (parameters) => statement.run(parameters),
    iterate: (parameters) => statement.iterate(parameters),
  };
}

const { prepare, exec } = Database.prototype;
const KINDS: Readonly<Record<string, () => Breaks>> = { commit: acknowledgeFirst, flush: dontFlush, errors: swallow };
const kind = process.env.LACRE_TEST_BREAKS ?? "";
const breaks = KINDS[kind]?.();
if (!breaks) throw new Error(`LACRE_TEST_BREAKS is one of ${Object.keys(KINDS).join(", ")}.`);

Database.prototype.prepare = function (this: Database.Database, sql: string) {
  const statement = prepare.call(this, sql);
  return this.readonly ? statement : (breaks(sql, statement) as Database.Statement); // a reader has nothing to lose
} as typeof prepare;

Database.prototype.exec = function (this: Database.Database, sql: string) {
  const isFlush = kind === "flush" && sql === "pragma synchronous = full";
  return exec.call(this, isFlush ? "pragma synchronous = normal" : sql);
};
