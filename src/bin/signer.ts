/** `lacre signer`: the key documents are signed with, and the certificate the program works under. */
import { z } from "zod";
import type { Lacre } from "../core/index.ts";
import type { SignerState } from "../core/signing/signer.ts";
import { command } from "./command.ts";
import { FLAGS, operand, SIGNING_KEY, textFlag, wholeText } from "./config.ts";
import { readGiven } from "./files.ts";
import { findDatabase, type KeyFile, signerOf, withLacre } from "./open-database.ts";
import { show } from "./output.ts";

const SHARED = { ...SIGNING_KEY, db: FLAGS.db, json: FLAGS.json } as const;

const showCommand = command({
  name: "signer show",
  summary: "prints certificate number, key version, public key and producer as JSON",
  details: `The public key is what the program's producer hands to the tax authority (AT), under this key version.
The private key is never shown.`,
  input: z.strictObject(SHARED),
  async run(settings, shell) {
    show(shell, true, await withSigner(settings, (lacre) => lacre.signer.get()), []);
  },
});

const setCommand = command({
  name: "signer set",
  summary: "sets the program's certificate number and its producer",
  details: `AT certifies a program, and gives the number to its producer: set it only if you are the producer or act for
it. Lacre has no number of its own. With one the law comes first: what the law asks for and is missing is refused,
documents and files carry the number. 0 takes it back. A series keeps its number for life: one that has documents under
another number takes no more, open a new one (lacre series create). Issued documents stay as they are.
Only what is given changes. Empty texts for both producer flags clear the producer.`,
  input: z.strictObject({
    certificate_number: wholeText(0, 9_999)
      .optional()
      .meta({ takes: "N", description: "the number AT gave to the producer; 0: not certified" }),
    producer_name: textFlag("TEXT", "who makes the program, by its legal name").optional(),
    producer_tax_id: textFlag("NIF", "the producer's Portuguese tax number").optional(),
    ...SHARED,
  }),
  async run({ certificate_number, producer_name, producer_tax_id, json, ...where }, shell) {
    const changes = {
      certificate_number,
      producer_name: producer_name === "" ? null : producer_name,
      producer_tax_id: producer_tax_id === "" ? null : producer_tax_id,
    };
    const state = await withSigner(where, (lacre) => lacre.signer.setCertificate(changes));
    show(shell, json, state, described(state));
  },
});

const rotateCommand = command({
  name: "signer rotate",
  summary: "makes a new key under the next version; a running server signs with it from its next document on",
  details: `Documents signed before keep their version and still verify. With a certificate number, hand the new public
key to AT before (lacre signer show prints it).`,
  input: z.strictObject(SHARED),
  async run({ json, ...where }, shell) {
    const state = await withSigner(where, (lacre) => lacre.signer.rotate());
    show(shell, json, state, described(state));
  },
});

const importCommand = command({
  name: "signer import",
  summary: "takes a private key into the database; a running server signs with it from its next document on",
  details: `RSA of 1024 bits as PEM (PKCS#1 or PKCS#8), without a passphrase. Backups of the database then hold it too;
to keep it in a file of its own, give --signing-key to serve instead.`,
  input: z.strictObject({
    file: operand("FILE"),
    key_version: wholeText(1, 9_999)
      .optional()
      .meta({ takes: "N", description: "the version AT knows the key by; the next one unless given" }),
    ...SHARED,
  }),
  async run({ file, key_version, json, ...where }, shell) {
    const key = { private_key: readGiven(file).toString("latin1"), key_version };
    const state = await withSigner(where, (lacre) => lacre.signer.import(key));
    show(shell, json, state, described(state));
  },
});

export const signerCommands = [showCommand, setCommand, rotateCommand, importCommand];

function withSigner<T>({ db, ...key }: KeyFile & { db: string }, work: (lacre: Lacre) => Promise<T>): Promise<T> {
  return withLacre(findDatabase(db), work, signerOf(key));
}

function described({ certificate_number, key_version, public_key, host_signs, producer }: SignerState): string[] {
  return [
    certificate_number === 0 ? "Not certified." : `Certificate number ${certificate_number}.`,
    ...(producer ? [`Producer: ${producer.name}, NIF ${producer.tax_id}.`] : []),
    `Documents are signed under key version ${key_version}${host_signs ? ", by the key in its file" : ""}.`,
    ...(public_key ? [public_key.trimEnd()] : []),
  ];
}
