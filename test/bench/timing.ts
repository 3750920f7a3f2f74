/**
 * Whether the time it takes to refuse a key tells how much of it was right. A key is looked up by its digest, so
 * it should not: over 20,000 look-ups the medians should differ by less than 5 %. A check of sanity, not a proof.
 */
import { randomBytes } from "node:crypto";
import { openInMemory } from "lacre/testing";
import { keyFrom } from "../../src/core/people/api-keys.ts";
import { median } from "./measure.ts";

const LOOK_UPS = 20_000;
/** Bytes at the end of a secret that are guessed, where the rest is right. */
const GUESSED_BYTES = 8;

/** Medians in microseconds of refusing keys with a right checksum that are nobody's. */
export interface KeyTiming {
  /** All of the secret is guessed. */
  readonly random_us: number;
  /** The secret begins as that of a real key. */
  readonly right_prefix_us: number;
}

/** Looks up guesses of both kinds in turn, and times each. */
export async function keyTiming(): Promise<KeyTiming> {
  const secret = randomBytes(32);
  const { lacre } = await openInMemory({ newSecret: () => secret });
  const nearly = () => Buffer.concat([secret.subarray(0, -GUESSED_BYTES), randomBytes(GUESSED_BYTES)]);
  const timed = async (guess: Buffer) => {
    const api_key = keyFrom("test", guess);
    const began = performance.now();
    await lacre.authenticate(api_key).then(mustNotOpen, () => {});
    return (performance.now() - began) * 1_000;
  };
  const random: number[] = [];
  const right_prefix: number[] = [];
  for (let i = 0; i < LOOK_UPS; i++) {
    random.push(await timed(randomBytes(32)));
    right_prefix.push(await timed(nearly()));
  }
  await lacre.close();
  return { random_us: median(random), right_prefix_us: median(right_prefix) };
}

function mustNotOpen(): never {
  throw new Error("A guessed key was accepted.");
}
