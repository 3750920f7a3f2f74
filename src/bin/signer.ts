/** `lacre signer`: the key that signs documents, and the program's certificate. */
import { z } from "zod";
import type { Lacre, SignerState } from "../core/index.ts";
import { MAX_CERTIFICATE_NUMBER, MAX_KEY_VERSION } from "../core/signing/signer.ts";
import { command } from "./command.ts";
import { FLAGS, integerText, operand, SIGNING_KEY, textFlag } from "./config.ts";
import { readGiven } from "./files.ts";
import { findDatabase } from "./find-database.ts";
import { type KeyFile, signerOf, withLacre } from "./open-database.ts";
import { show } from "./output.ts";
import { KEY_IN_DATABASE } from "./waiting.ts";

const SHARED = { ...SIGNING_KEY, db: FLAGS.db, json: FLAGS.json } as const;

const showCommand = command({
  name: "signer show",
  summary: "prints certificate number, key version, public key and producer as JSON",
  details: `The program's producer hands this public key to the tax authority (AT), under this key version.
The private key is never shown.`,
  input: z.strictObject(SHARED),
  async run(settings, terminal) {
    show(terminal, true, await withSigner(settings, (lacre) => lacre.signer.get()), []);
  },
});

const setCommand = command({
  name: "signer set",
  summary: "sets the program's certificate number and its producer",
  details: `AT certifies a program and gives the number to its producer: set it only if you are the producer or act for it.
Lacre has no number of its own. With a number, documents and files carry it, and a document that lacks anything the law
requires is refused. 0 removes the number. A series with documents under another number accepts no more; open a new one
(lacre series create). Issued documents stay as they are.
Only the flags given change anything. Empty texts for both producer flags remove the producer.`,
  input: z.strictObject({
    certificate_number: integerText(0, MAX_CERTIFICATE_NUMBER)
      .optional()
      .meta({ takes: "N", description: "the number AT gave to the producer; 0 for none" }),
    producer_name: textFlag("TEXT", "the legal name of the program's producer").optional(),
    producer_tax_id: textFlag("NIF", "the producer's Portuguese tax number").optional(),
    ...SHARED,
  }),
  async run({ certificate_number, producer_name, producer_tax_id, json, ...where }, terminal) {
    const changes = {
      certificate_number,
      producer_name: producer_name === "" ? null : producer_name,
      producer_tax_id: producer_tax_id === "" ? null : producer_tax_id,
    };
    const state = await withSigner(where, (lacre) => lacre.signer.setCertificate(changes));
    show(terminal, json, state, described(state));
  },
});

const rotateCommand = command({
  name: "signer rotate",
  summary: "makes a new key under the next version; a running server uses it from the next document on",
  details: `Documents signed earlier keep their key version and still verify. With a certificate number, hand the new public
key to AT before the next document (lacre signer show prints it).`,
  input: z.strictObject(SHARED),
  async run({ json, ...where }, terminal) {
    const state = await withSigner(where, (lacre) => lacre.signer.rotate());
    show(terminal, json, state, described(state));
  },
});

const importCommand = command({
  name: "signer import",
  summary: "stores a private key in the database; a running server uses it from the next document on",
  details: `The key is RSA of 1024 bits as PEM (PKCS#1 or PKCS#8), without a passphrase. Backups will contain it too; to keep
it in its own file instead, start serve with --signing-key.`,
  input: z.strictObject({
    file: operand("FILE", "private_key"),
    key_version: integerText(1, MAX_KEY_VERSION)
      .optional()
      .meta({ takes: "N", description: "the version under which AT knows the key; the next one unless given" }),
    ...SHARED,
  }),
  async run({ file, key_version, json, ...where }, terminal) {
    const key = { private_key: readGiven(file).toString("latin1"), key_version };
    const state = await withSigner(where, (lacre) => lacre.signer.import(key));
    show(terminal, json, state, described(state));
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
    ...(certificate_number > 0 && !host_signs ? [KEY_IN_DATABASE] : []),
    ...(public_key ? [public_key.trimEnd()] : []),
  ];
}
