/** Messages of webhooks, their secrets and signatures, as Standard Webhooks 1.0.0 has them. */
import { createHmac, hash } from "node:crypto";

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

/**
 * The id of the message about an event for a webhook, as a UUID of version 8 (RFC 9562). It is derived from the event's
 * seal: after a restore another event with the same position has another id, and receivers drop ids that they know.
 */
export function messageId(webhook_id: string, seal: string): string {
  const [, a, b, c, d] = /^(.{8})(.{4}).(.{3}).(.{15})/.exec(hash("sha256", `${webhook_id} ${seal}`)) as string[];
  return `${a}-${b}-8${c}-8${d?.slice(0, 3)}-${d?.slice(3)}`;
}

/** A message about an event, to be sent at an instant: its body, and the headers that sign it. */
export function signedMessage<Told extends { readonly action: string; readonly at: string }>({
  event,
  ...signed
}: Omit<Signed, "body"> & { readonly event: Told }): Pick<Signed, "body"> & {
  readonly headers: Readonly<Record<string, string>>;
} {
  const body = JSON.stringify({ type: event.action, timestamp: event.at, data: event });
  return { body, headers: signedHeaders({ ...signed, body }) };
}
