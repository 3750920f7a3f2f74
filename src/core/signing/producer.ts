/**
 * The producer of a build. `LACRE_PRODUCER=FILE node tools/build.ts …` writes one in: that build always carries the
 * producer's certificate number and signs with the producer's key alone. An open build, as Lacre is distributed, has
 * none, and claims none.
 */
import { REHEARSAL_NUMBER } from "../fiscal/numbering.ts";
import { refuse } from "../runtime/errors.ts";
import type { Signer } from "../runtime/ports.ts";
import { t } from "./refusals.ts";

/** The certified producer, as the file given to `tools/build.ts` names it. */
export interface Producer {
  /** AT's number for the program, from 1. */
  readonly certificate_number: number;
  readonly name: string;
  readonly tax_id: string;
  /** The only key that signs: RSA of 1024 bits as PEM (SPKI). */
  readonly public_key: string;
}

/** Replaced when the program is built. */
declare const LACRE_PRODUCER: Producer | undefined;

/** The producer of this build; undefined in an open build. */
export const PRODUCER: Producer | undefined = typeof LACRE_PRODUCER === "undefined" ? undefined : LACRE_PRODUCER;

/**
 * Whether this build may issue, print and export under a certificate number. An open build has none of its own, so it
 * may not repeat another's, not even on documents that a producer's build issued.
 */
export function mayCarry(certificate_number: number | null): boolean {
  return PRODUCER !== undefined || !certificate_number || certificate_number === REHEARSAL_NUMBER;
}

/** Refuses with `unavailable` a certificate number that this build may not carry. */
export function mustCarry(certificate_number: number): void {
  if (!mayCarry(certificate_number)) refuse("unavailable", t.certificate_is_not_of_build({ certificate_number }));
}

/** Refuses with `invalid_state` in a producer's build: certificate and key come with it. */
export function mustBeOpenBuild(): void {
  if (PRODUCER) refuse("invalid_state", t.build_has_producer({ producer: PRODUCER.name }));
}

/** Refuses with `unavailable` any key but that of this build's producer. */
export function mustBeProducers<Key extends Pick<Signer, "public_key">>(key: Key): Key {
  if (PRODUCER && key.public_key.trim() !== PRODUCER.public_key.trim()) {
    refuse("unavailable", t.key_is_not_producers({ producer: PRODUCER.name }), { to: "open_with_key" });
  }
  return key;
}
