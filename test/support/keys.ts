/** Private keys to sign with. */
import { createPublicKey, generateKeyPairSync } from "node:crypto";

/** A new RSA key as PEM: PKCS#8, or PKCS#1 on request. */
export function aPrivateKey(modulusLength = 1024, type: "pkcs1" | "pkcs8" = "pkcs8"): string {
  return generateKeyPairSync("rsa", { modulusLength }).privateKey.export({ type, format: "pem" }).toString();
}

/** The public half as PEM. */
export function publicHalfOf(private_key: string): string {
  return createPublicKey(private_key).export({ type: "spki", format: "pem" }).toString();
}

/** The Base64 lines of a PEM, without the first, which many keys share. */
export function secretsOf(private_key: string): string[] {
  const lines = private_key.split("\n").filter((line) => line !== "" && !line.startsWith("-----"));
  return lines.slice(1).filter((line) => line.length > 16);
}
