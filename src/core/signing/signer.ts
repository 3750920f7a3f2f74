/** The signer: the key that signs documents, its version, and the program's certificate. */
import * as z from "zod";
import { INSTALLATION } from "../database/row-states.ts";
import { recordEvent } from "../events/events.ts";
import { definedOnly, Nif, text, wholeNumber } from "../fields.ts";
import { problem, refuse, refuseInput } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { certificationOf, saveCertification } from "./certification.ts";
import { mayCarry, mustBeOpenBuild, mustBeProducers } from "./producer.ts";
import { t } from "./refusals.ts";
import {
  addOwnKey,
  newPrivateKey,
  nextVersion,
  publicHalf,
  publicPem,
  readPrivateKey,
  versionOf,
} from "./signing-keys.ts";

/**
 * AT's certificate numbers have at most four digits (Portaria 302/2016, SoftwareCertificateNumber; printed as `n.º
 * NNNN/AT`).
 */
export const MAX_CERTIFICATE_NUMBER = 9_999;

export const MAX_KEY_VERSION = 9_999;

/** Longer than any PEM of a key of 1024 bits. */
const MAX_PEM = 16_384;

export const SignerState = z
  .strictObject({
    certificate_number: z.int().describe("AT's number for the program's producer; 0 for none."),
    key_version: z.int().nullable().describe("The version the next document is signed under; null before any key."),
    public_key: z.string().nullable().describe("The public key as PEM (SPKI)."),
    host_signs: z.boolean().describe("The key is with the host program, not in the database."),
    producer: z.strictObject({ name: z.string(), tax_id: z.string() }).nullable().describe("Who makes the program."),
  })
  .describe("The signing key, and the program's certificate.");
export type SignerState = z.infer<typeof SignerState>;

export const getSigner = query(
  {
    id: "getSigner",
    summary: "The key that signs, and the program's certificate",
    needs: "operator",
    input: z.strictObject({}),
    output: SignerState,
    fails: [],
  },
  signerState,
);

/**
 * The rehearsal's number switches strict mode on, 0 switches it off; any other number comes only with its producer's
 * build. Documents and series keep the number of their issue: a series with documents under another number takes no
 * more.
 */
export const setCertificate = command(
  {
    id: "setCertificate",
    summary: "Switch the rehearsal of strict mode on or off, and name the producer",
    needs: "operator",
    input: z.strictObject({
      certificate_number: wholeNumber(0, MAX_CERTIFICATE_NUMBER).optional(),
      producer_name: text(200).nullable().optional(),
      producer_tax_id: Nif.nullable().optional(),
    }),
    output: SignerState,
    fails: ["invalid_state"],
  },
  async (scope, given) => {
    mustBeOpenBuild();
    if (!mayCarry(given.certificate_number ?? 0)) {
      refuseInput([problem("certificate_number", t.must_be_rehearsal_number)]);
    }
    const changes = definedOnly(given);
    if (Object.keys(changes).length > 0) {
      await saveCertification(scope, changes);
      await recordEvent(scope, "certification.changed", INSTALLATION, changes);
    }
    return signerState(scope);
  },
);

export const rotateSigner = command(
  {
    id: "rotateSigner",
    summary: "Sign with a new key from the next document on",
    needs: "operator",
    input: z.strictObject({}),
    output: SignerState,
    fails: ["invalid_state"],
  },
  async (scope) => {
    mustBeOpenBuild();
    mustSignItself(scope);
    await addOwnKey(scope, newPrivateKey(), await nextVersion(scope.db), "signer.rotated");
    return signerState(scope);
  },
);

export const importSigner = command(
  {
    id: "importSigner",
    summary: "Sign with this key from the next document on",
    needs: "operator",
    input: z.strictObject({
      private_key: z
        .string()
        .max(MAX_PEM)
        .describe("RSA of 1024 bits as PEM (PKCS#1 or PKCS#8), without a passphrase."),
      key_version: wholeNumber(1, MAX_KEY_VERSION).optional().describe("The next one when left out."),
    }),
    output: SignerState,
    fails: ["invalid_state", "conflict"],
  },
  async (scope, input) => {
    mustSignItself(scope);
    const key = readPrivateKey(input.private_key);
    if ("in" in key) return refuseInput([problem("private_key", key)]);
    mustBeProducers({ public_key: publicPem(key) });
    const known = await versionOf(scope.db, key);
    if (known !== undefined) refuse("conflict", t.key_is_known({ key_version: known }));
    const next = await nextVersion(scope.db);
    const version = input.key_version ?? next;
    if (version < next) refuse("conflict", t.key_version_is_past({ next }));
    await addOwnKey(scope, key, version, "signer.imported");
    return signerState(scope);
  },
);

const NO_KEY = { key_version: null, public_key: null, host_signs: false } as const;

/** The signing key and the certificate. */
export async function signerState(scope: ReadScope): Promise<SignerState> {
  const { certificate_number, producer } = await certificationOf(scope);
  const key = (await publicHalf(scope.db, scope.hostSigner)) ?? NO_KEY;
  return { certificate_number, ...key, producer };
}

function mustSignItself({ hostSigner }: WriteScope): void {
  if (hostSigner) refuse("invalid_state", t.host_signs);
}
