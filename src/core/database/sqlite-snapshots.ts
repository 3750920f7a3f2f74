/** One snapshot for all reads in a turn of the event loop, for a file to which nothing else in the process writes. */
import type { Connection, Soon } from "./executor.ts";

/** Callers that have a connection one after the other. */
export interface Turns {
  take(): Soon<Connection>;
  close(): void;
}

/** Taken when this module loads, as in runtime/ports.ts: a test's fake timers must not stop it. */
const { setImmediate } = globalThis;

/** Reading and writing connections that share the state of the snapshot. */
export interface SharedSnapshots {
  readonly reader: Turns;
  readonly writer: Turns;
}

/**
 * Reads within one turn of the event loop share a snapshot: SQLite takes and releases its locks once for all of them,
 * which costs as much as a look-up by id. A commit of the writer ends it, so that whoever learns of the commit sees it;
 * another process's commits are seen from the next turn on.
 */
export function withSharedSnapshots({ reader, writer }: SharedSnapshots): SharedSnapshots {
  /** The connection with the open snapshot. */
  let open: Connection | undefined;
  let isTaken = false;
  let isOver = false;

  function begin(connection: Connection): void {
    if (open) return;
    try {
      void connection.begin("snapshot"); // takes no lock yet, and so never waits
    } catch (error) {
      connection.release();
      throw error;
    }
    open = connection;
    setImmediate(end);
  }

  /** Ends the snapshot, now or after the reads that still use it. */
  function end(): void {
    isOver = open !== undefined && isTaken;
    if (isTaken || !open) return;
    const ended = open;
    open = undefined;
    void ended.rollback(); // nothing was written
  }

  function release(connection: Connection): void {
    isTaken = false;
    if (isOver) end();
    connection.release();
  }

  function reading(connection: Connection): Connection {
    begin(connection);
    isTaken = true;
    return {
      ...connection,
      begin() {},
      commit() {},
      rollback() {
        isOver = true;
      },
      release: () => release(connection),
    };
  }

  /** A commit comes after the snapshot's end: SQLite can restart its log only when nobody reads from it. */
  function writing(connection: Connection): Connection {
    return {
      ...connection,
      commit() {
        end();
        return connection.commit();
      },
    };
  }

  return {
    reader: {
      take: () => taken(reader.take(), reading),
      close() {
        open = undefined;
        reader.close();
      },
    },
    writer: { take: () => taken(writer.take(), writing), close: writer.close },
  };
}

function taken(connection: Soon<Connection>, dressed: (connection: Connection) => Connection): Soon<Connection> {
  return connection instanceof Promise ? connection.then(dressed) : dressed(connection);
}
