/**
 * The single executable's program as compiled by V8: not only the functions for a script's first line, but every one
 * that a start runs. V8 refuses the output of another version or other flags, and recompiles.
 */
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

/** V8 does not check that its own data are intact: a checksum before them does. */
const CHECKSUM_BYTES = 4;

/** The program as a script. `kept` is the result of `keep` in another process, or anything: it only saves time. */
export function compiled(source: string, filename: string, kept?: Uint8Array): Script {
  const cachedData = kept && whole(kept);
  return new Script(source, { filename, ...(cachedData && { cachedData }) });
}

/** The code that V8 has compiled of a script so far. */
export function keep(script: Script): Buffer {
  const data = script.createCachedData();
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(data));
  return Buffer.concat([checksum, data]);
}

function whole(kept: Uint8Array): Buffer | undefined {
  const all = Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength);
  if (all.length <= CHECKSUM_BYTES) return undefined;
  const data = all.subarray(CHECKSUM_BYTES);
  return crc32(data) === all.readUInt32LE() ? data : undefined;
}
