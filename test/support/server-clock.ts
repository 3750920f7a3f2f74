/** The clock by which a server counts requests, moved by a test. */
import type { LacreDialect } from "lacre";
import type { Connection } from "../../src/core/database/executor.ts";

/** As the engine of PostgreSQL asks for it. */
const SERVER_CLOCK = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** A dialect whose server reads this clock, in milliseconds, where it counts requests; others count by it anyway. */
export function countingBy(clock: () => number, dialect: LacreDialect): LacreDialect {
  const by = (connection: Connection): Connection => ({
    ...connection,
    run(query) {
      if (!(query.sql.includes(SERVER_CLOCK) && query.sql.includes("rate_log"))) return connection.run(query);
      const parameters = [...query.parameters, Math.floor(clock())];
      return connection.run({
        ...query,
        parameters,
        sql: query.sql.replaceAll(SERVER_CLOCK, `$${parameters.length}::bigint`),
      });
    },
  });
  return {
    ...dialect,
    connect() {
      const { writer, hosted, reader, ...rest } = dialect.connect();
      return {
        ...rest,
        writer: async () => by(await writer()),
        hosted: async () => by(await hosted()),
        reader: async () => by(await reader()),
      };
    },
  };
}
