/**
 * Passwords: which are refused, how they are hashed and checked, and how often one may be tried. Hashing is slow on
 * purpose and takes 32 MiB, so only two run at once and few may wait: logins must not take the processor from issuing.
 */
import { type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { measured, says } from "../fields.ts";
import { composed } from "../fiscal/spelling.ts";
import { problem, refuseFor, refuseInput } from "../runtime/errors.ts";
import { randomSecret } from "../runtime/ports.ts";
import { common } from "../runtime/refusals.ts";
import { isGuessed } from "./guessed.ts";
import { t } from "./refusals.ts";

/** What scrypt costs: `ln` is the logarithm of N; memory is 128 × N × r bytes, time grows with N × r × p. */
export interface PasswordCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** OWASP's figures for scrypt within 32 MiB; some 270 ms. */
export const DEFAULT_PASSWORD_COST: PasswordCost = { ln: 15, r: 8, p: 3 };

/** The fewest characters of a password, and the most: a longer one only costs time. */
const SHORTEST = 10;
const LONGEST = 200;

/** A password to choose, in one spelling: keyboards write the same letter as one character or as two. */
export const NewPassword = measured(LONGEST)
  .overwrite(composed)
  .refine((given) => given.isWellFormed(), says(common.has_lone_surrogates))
  .refine((given) => [...given].length >= SHORTEST, says(t.password_too_short({ min: SHORTEST })))
  .refine((given) => given.length <= LONGEST, says(common.has_too_many_characters({ max: LONGEST })))
  .meta({ minLength: SHORTEST, maxLength: LONGEST, format: "password" });

/** A password to check: any text, as every wrong one must be refused in the same words. */
export const GivenPassword = measured(1_000).overwrite(composed).max(1_000).meta({ format: "password" });

/**
 * Refuses with `invalid_request` a password that is guessed first: the user's own login or name, alone or with little
 * around it, or another that `isGuessed` finds.
 */
export function mustNotBeGuessed(password: string, known: readonly (string | null | undefined)[]): void {
  const folded = password.toLowerCase();
  const theirs = known.flatMap((text) => (text ? [text, text.split("@")[0] as string] : []));
  const isTheirs = theirs.some((text) => text.toLowerCase() === folded);
  if (isTheirs || isGuessed(password, theirs)) {
    refuseInput([problem("password", isTheirs ? t.password_is_theirs : t.password_is_guessed)]);
  }
}

// ——— Hashing ———

const SALT_BYTES = 16;
const HASH_BYTES = 32;

const PHC = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** How many hashes run at once, how many may wait, and when a refused caller may try again. */
const AT_ONCE = 2;
const MAX_WAITING = 24;
const RETRY_AFTER_S = 5;

/** What a password is tried on. */
export interface Trial {
  /** The supposed owner of the password: a folded login, or a user. */
  readonly of: string;
  /** The network of the try; null if unknown. */
  readonly network: string | null;
  /** The key of a separate count: a browser where this user logged in before, or an open session. */
  readonly own: string | null;
}

/** Where tries are counted. */
export interface Tries {
  /** Counts a try. Refuses with `rate_limited` one that must wait. */
  take(trial: Trial): Promise<void>;
  /** Takes back a try that was right. */
  giveBack(trial: Trial): Promise<void>;
}

/** Hashes and checks passwords. Both refuse with `unavailable` while too many wait. */
export interface Passwords {
  /** The PHC string of a password. */
  hash(password: string): Promise<string>;
  /**
   * Whether this is the password behind a hash. Without a hash it takes as long and says no: nobody can recognise an
   * unknown login by its time. Refuses with `rate_limited` after too many wrong ones; a right one does not count.
   */
  isRight(password: string, phc: string | null, trial: Trial): Promise<boolean>;
  /** Whether a hash has the cost of new ones. */
  isCurrent(phc: string): boolean;
}

/** Makes the one place of an installation that hashes. */
export function createPasswords(cost: PasswordCost, tries: Tries): Passwords {
  const { ln, r, p } = cost;
  const prefix = `$scrypt$ln=${ln},r=${r},p=${p}$`;
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }

  const hasRoom = () => waiting.length < MAX_WAITING;

  function mustHaveRoom(): void {
    if (!hasRoom()) refuseFor(RETRY_AFTER_S, "unavailable", t.too_many_passwords);
  }

  /** The hash of no password. */
  const dummy = phcOf(prefix, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));

  return {
    async hash(password) {
      mustHaveRoom();
      const salt = randomSecret().subarray(0, SALT_BYTES);
      return phcOf(prefix, salt, await inTurn(() => derived(password, salt, HASH_BYTES, cost)));
    },
    async isRight(password, phc, trial) {
      mustHaveRoom();
      await tries.take(trial);
      if (!hasRoom()) {
        await tries.giveBack(trial); // Others came meanwhile, so it was not tried.
        mustHaveRoom();
      }
      const [, ln, r, p, salt = "", stored = ""] = PHC.exec(phc ?? "") ?? (PHC.exec(dummy) as RegExpExecArray);
      const expected = Buffer.from(stored, "base64");
      const figures = { ln: Number(ln), r: Number(r), p: Number(p) };
      const found = await inTurn(() => derived(password, Buffer.from(salt, "base64"), expected.length, figures));
      const isRight = timingSafeEqual(found, expected);
      if (isRight) await tries.giveBack(trial);
      return isRight;
    },
    isCurrent: (phc) => phc.startsWith(prefix),
  };
}

function phcOf(prefix: string, salt: Uint8Array, hash: Uint8Array): string {
  const [first, second] = [salt, hash].map((bytes) => Buffer.from(bytes).toString("base64").replaceAll("=", ""));
  return `${prefix}${first}$${second}`;
}

/** scrypt in a thread of its own. */
function derived(password: string, salt: Uint8Array, length: number, { ln, r, p }: PasswordCost): Promise<Buffer> {
  const N = 2 ** ln;
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, found) => (error ? reject(error) : resolve(found)));
  });
}
