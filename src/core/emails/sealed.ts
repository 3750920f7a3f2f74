/** Seals a text under a key that is kept outside the database: AES-256-GCM, bound to the row that holds it. */
import { createCipheriv, createDecipheriv } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Whether these bytes can be a key. */
export const isSealKey = (key: Uint8Array): boolean => key.length === 32;

/** A text as it is stored: Base64 of nonce, tag and cipher. `random`: 12 random bytes or more, for this alone. */
export function sealText(key: Uint8Array, owner: string, text: string, random: Uint8Array): string {
  const nonce = random.subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
}

/** The text that was sealed; undefined under another key, for another row, or if it was changed. */
export function unsealText(key: Uint8Array, owner: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, "base64");
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const cipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + cipher.final("utf8");
  } catch {
    return undefined;
  }
}
