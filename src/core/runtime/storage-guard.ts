/** Guards the storage: turns storage errors into refusals, and knows what is still allowed meanwhile. */
import { StorageError, type StorageTrouble } from "../database/storage-error.ts";
import { refuse, refuseFor } from "./errors.ts";
import type { Log, MonotonicClock } from "./ports.ts";
import { common } from "./refusals.ts";

/** How long the installation reports not ready after a full disk, in milliseconds. */
const TRY_AGAIN_MS = 10_000;

/** Troubles that pass: after one is reported, the next transaction may well go through. */
const PASSING: readonly StorageTrouble[] = ["busy", "held", "aborted", "deadlock", "lost"];

export interface StorageGuardOptions {
  readonly monotonic: MonotonicClock;
  readonly log: Log;
  /** What is wrong with the database's files, as a phrase: they can be deleted under a running server. */
  readonly storageFault: () => string | undefined;
  /** Called once when an I/O error made the outcome of a commit unknown. `reason` is a phrase without a full stop. */
  readonly onHalt: (reason: string) => void;
}

/** Runs work that touches the storage; refuses with `unavailable` when the storage is in trouble. */
export type Guarded = <T>(work: () => Promise<T>) => Promise<T>;

export interface StorageGuard {
  readonly guarded: Guarded;
  /** Whether the storage is there and, as far as known, accepts writes. */
  canWrite(): boolean;
  /** Whether a full disk refused a change just now. */
  isFull(): boolean;
  /** Refuses with `unavailable` after an I/O error; throws `StorageError` if a file of the database is gone. */
  mustBeWritable(): void;
  /** Throws `StorageError` if a file of the database is gone: SQLite reports commits to a deleted file as done. */
  mustBeThere(): void;
  /** Notes trouble at once, before another command begins. */
  noteTrouble(error: StorageError): void;
  /** Notes that a commit went through: there is room again. */
  noteCommit(): void;
}

/** Makes the guard of an installation's storage. */
export function storageGuard({ monotonic, log, storageFault, onHalt }: StorageGuardOptions): StorageGuard {
  let trouble: StorageError["trouble"] | undefined;
  let trouble_since_ms = 0;
  let halted = false;

  const guard: StorageGuard = {
    canWrite() {
      if (storageFault() !== undefined) return false;
      // After a full disk, true again after a while: otherwise it would stay false until a new change, which nobody
      // would make.
      return trouble === undefined || (trouble !== "broken" && monotonic() - trouble_since_ms > TRY_AGAIN_MS);
    },
    isFull: () => trouble === "full" && !guard.canWrite(),
    mustBeWritable() {
      if (trouble === "broken") refuse("unavailable", common.writing_stopped);
      guard.mustBeThere(); // a file in its place may own the write-ahead log beside it: nothing is written there
    },
    mustBeThere() {
      const fault = storageFault();
      if (fault !== undefined) throw new StorageError("broken", fault);
    },
    noteTrouble(error) {
      if (PASSING.includes(error.trouble) || trouble === "broken") return;
      trouble = error.trouble;
      trouble_since_ms = monotonic();
    },
    noteCommit() {
      if (trouble !== "broken") trouble = undefined;
    },
    async guarded(work) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        const { trouble, message } = error;
        guard.noteTrouble(error); // before the host's code runs
        log({ level: "error", event: "storage_error", trouble, message });
        if (trouble === "broken" && !halted) {
          halted = true;
          onHalt(storageFault() ?? message); // the fate of the files says more than the error that SQLite met there
        }
        return refuseWith(error);
      }
    },
  };
  return guard;
}

/** Refuses with `unavailable` what the storage failed, in the words of its trouble. */
function refuseWith({ trouble, schema }: StorageError): never {
  if (schema === "newer") refuse("unavailable", common.storage_newer);
  if (trouble === "lost") refuseFor(1, "unavailable", common.storage_lost);
  if (trouble === "full" || trouble === "broken" || trouble === "unusable") {
    refuse("unavailable", common[`storage_${trouble}`]);
  }
  refuseFor(1, "unavailable", common.storage_busy);
}

/** The same inside a transaction of the host program: if the database ended it, the host must repeat it. */
export function guardedInside(guarded: Guarded): Guarded {
  return (work) =>
    guarded(async () => {
      try {
        return await work();
      } catch (error) {
        const trouble = error instanceof StorageError ? error.trouble : undefined;
        if (trouble === "deadlock") refuseFor(1, "unavailable", common.host_transaction_lost);
        if (trouble === "aborted") refuseFor(1, "unavailable", common.host_transaction_failed);
        throw error;
      }
    });
}
