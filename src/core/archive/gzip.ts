/** Packs and unpacks a stream of bytes (gzip, RFC 1952), as fast as it is read. */
import { createGunzip, createGzip, type Gunzip, type Gzip } from "node:zlib";
import { refuse } from "../runtime/errors.ts";
import { t } from "./refusals.ts";

/** Packs pieces. */
export function packed(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  return through(createGzip({ chunkSize: CHUNK }), pieces);
}

/**
 * Unpacks pieces. Refuses input that is not gzip, is cut off or damaged, or unpacks to more than any archive does: a
 * small file could fill a disk.
 */
export async function* unpacked(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let packed_bytes = 0;
  let bytes = 0;
  async function* counted() {
    for await (const piece of pieces) {
      if (packed_bytes === 0 && (piece[0] !== 0x1f || piece[1] !== 0x8b))
        refuse("invalid_request", t.archive_is_none, { to: "take_other_file" });
      packed_bytes += piece.length;
      yield piece;
    }
  }
  try {
    for await (const piece of through(createGunzip({ chunkSize: CHUNK }), counted())) {
      bytes += piece.length;
      if (bytes > ALWAYS_UNPACKED && bytes > packed_bytes * MAX_TIMES) refuse("invalid_request", t.archive_is_bloated);
      yield piece;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "Z_BUF_ERROR") refuse("invalid_request", t.archive_is_cut_off);
    if (code === "Z_DATA_ERROR") refuse("invalid_request", t.archive_is_damaged);
    throw error;
  }
}

const CHUNK = 64 * 1024;
/** Rows of invoices pack to a tenth; gzip could pack a thousand times. */
const MAX_TIMES = 200;
const ALWAYS_UNPACKED = 64 * 1024 * 1024;

/** Feeds pieces to a packer while its output is read; ends both together, whichever fails or stops first. */
async function* through(packer: Gzip | Gunzip, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const feeding = feed(packer, pieces).catch((error) => void packer.destroy(error));
  try {
    yield* packer;
  } finally {
    packer.destroy();
    await feeding;
  }
}

async function feed(packer: Gzip | Gunzip, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let wake = () => {};
  packer.once("close", () => wake()); // after an error nothing reports on the piece that was being written
  for await (const piece of pieces) {
    if (packer.destroyed) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
      packer.write(piece, () => resolve());
    });
  }
  packer.end();
}
