/** Secrets and signatures of webhooks, as Standard Webhooks 1.0.0 has them. */
import { createHmac } from "node:crypto";

const PREFIX = "whsec_";

/** A secret in the form that receivers get, from 32 random bytes. */
export function secretFrom(bytes: Buffer): string {
  return PREFIX + bytes.toString("base64");
}

/** What a message is signed with: the secret, and during a rotation the one before as well. */
export interface Signed {
  readonly id: string;
  readonly at: Date;
  readonly body: string;
  readonly secrets: readonly string[];
}

/** The headers that let a receiver check where a message comes from, and that it is new. */
export function signedHeaders({ id, at, body, secrets }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
