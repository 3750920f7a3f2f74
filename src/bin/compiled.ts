/**
 * The single executable's program as V8 compiled it: not only what a script's first line needs, but every function that
 * a start runs. V8 refuses what another version or other flags made, and compiles anew.
 */
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

/** V8 does not look whether its own data are whole: a checksum before them does. */
const CHECKSUM_BYTES = 4;

/** The program as a script. `kept` is what `keep` returned in another process, or anything: it only saves time. */
export function compiled(source: string, filename: string, kept?: Uint8Array): Script {
  const cachedData = kept && whole(kept);
  return new Script(source, { filename, ...(cachedData && { cachedData }) });
}

/** What V8 compiled of a script until now. */
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
