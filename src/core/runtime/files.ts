/** Files in the answers of long queries, which are produced while they are read. */
import { refuseFor } from "./errors.ts";
import { common } from "./refusals.ts";

/** How many files of one company may be read at once: each holds its data in memory for as long as its reader takes. */
const MAX_FILES = 8;
/** Seconds after which a caller may ask for another file. */
const RETRY_FILE_S = 10;

type File = AsyncIterable<Uint8Array>;

/**
 * Makes the function that counts the file of an answer, if it has one, while it is read. `eachPiece` wraps its
 * production.
 */
export function createFiles(eachPiece: (file: File) => File): (answer: unknown, company_id: string) => unknown {
  /** How many files of each company are being read. */
  const read = new Map<string, number>();
  const count = (company_id: string, more: number) => read.set(company_id, (read.get(company_id) ?? 0) + more);

  async function* counted(file: File, company_id: string): AsyncGenerator<Uint8Array> {
    count(company_id, 1);
    try {
      yield* eachPiece(file);
    } finally {
      count(company_id, -1);
    }
  }

  return (answer, company_id) => {
    const { file } = answer as { readonly file?: File };
    if (!file) return answer;
    if ((read.get(company_id) ?? 0) >= MAX_FILES) refuseFor(RETRY_FILE_S, "unavailable", common.too_many_files);
    return { ...(answer as object), file: { [Symbol.asyncIterator]: () => counted(file, company_id) } };
  };
}
