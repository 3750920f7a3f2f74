// The certified producer that a build is bound to.

import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Producer } from "../src/core/signing/producer.ts";

/**
 * The replacement of LACRE_PRODUCER in the sources: the producer in the file that the environment variable of that name
 * gives, or none. Throws if the file is incomplete.
 */
export function producerOfBuild(): { readonly LACRE_PRODUCER: string } {
  const file = process.env.LACRE_PRODUCER;
  if (!file) return { LACRE_PRODUCER: "undefined" };
  const { certificate_number, name, tax_id, public_key, ...others } = JSON.parse(readFileSync(file, "utf8"));
  const key = createPublicKey(public_key);
  const isRight =
    Number.isInteger(certificate_number) &&
    certificate_number >= 1 &&
    certificate_number <= 9_999 &&
    [name, tax_id].every((text) => typeof text === "string" && text !== "") &&
    key.asymmetricKeyDetails?.modulusLength === 1024 &&
    Object.keys(others).length === 0;
  if (!isRight)
    throw new Error(`${file} must give certificate_number (1 to 9999), name, tax_id and public_key (RSA, 1024).`);
  const pem = key.export({ type: "spki", format: "pem" }).toString();
  const producer: Producer = { certificate_number, name, tax_id, public_key: pem };
  return { LACRE_PRODUCER: JSON.stringify(producer) };
}
