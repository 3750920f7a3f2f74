/** `lacre signer`: the key that signs documents, and the program's certificate. */
import * as z from "zod";
import { REHEARSAL_NUMBER } from "../core/fiscal/numbering.ts";
import type { Lacre, SignerState } from "../core/index.ts";
import { MAX_CERTIFICATE_NUMBER, MAX_KEY_VERSION } from "../core/signing/signer.ts";
import { command } from "./command.ts";
import { about, FLAGS, integerText, operand, SIGNING_KEY, textFlag } from "./config.ts";
import { findDatabase, type KeyFile, signerOf, withLacre } from "./database/open.ts";
import { readGiven } from "./files.ts";
import { show } from "./output.ts";
import type { Texts } from "./texts/texts.ts";

const SHARED = { ...SIGNING_KEY, db: FLAGS.db, json: FLAGS.json } as const;

const showCommand = command({
  name: "signer show",
  input: z.strictObject(SHARED),
  async run(settings, terminal) {
    show(terminal, true, await withSigner(settings, (lacre) => lacre.signer.get()), []);
  },
});

const setCommand = command({
  name: "signer set",
  input: z.strictObject({
    certificate_number: integerText(0, MAX_CERTIFICATE_NUMBER)
      .optional()
      .meta(about("certificate_number", { takes: "N" })),
    producer_name: textFlag("TEXT", "producer_name").optional(),
    producer_tax_id: textFlag("NIF", "producer_tax_id").optional(),
    ...SHARED,
  }),
  async run({ certificate_number, producer_name, producer_tax_id, json, ...where }, terminal) {
    const changes = {
      certificate_number,
      producer_name: producer_name === "" ? null : producer_name,
      producer_tax_id: producer_tax_id === "" ? null : producer_tax_id,
    };
    const state = await withSigner(where, (lacre) => lacre.signer.setCertificate(changes));
    show(terminal, json, state, described(state, terminal.texts));
  },
});

const rotateCommand = command({
  name: "signer rotate",
  input: z.strictObject(SHARED),
  async run({ json, ...where }, terminal) {
    const state = await withSigner(where, (lacre) => lacre.signer.rotate());
    show(terminal, json, state, described(state, terminal.texts));
  },
});

const importCommand = command({
  name: "signer import",
  input: z.strictObject({
    file: operand("FILE", "private_key"),
    key_version: integerText(1, MAX_KEY_VERSION)
      .optional()
      .meta(about("key_version", { takes: "N" })),
    ...SHARED,
  }),
  async run({ file, key_version, json, ...where }, terminal) {
    const key = { private_key: readGiven(file).toString("latin1"), key_version };
    const state = await withSigner(where, (lacre) => lacre.signer.import(key));
    show(terminal, json, state, described(state, terminal.texts));
  },
});

export const signerCommands = [showCommand, setCommand, rotateCommand, importCommand];

function withSigner<T>({ db, ...key }: KeyFile & { db: string }, work: (lacre: Lacre) => Promise<T>): Promise<T> {
  return withLacre(findDatabase(db), work, signerOf(key));
}

function certificateText(number: number, t: Texts["signer"]): string {
  if (number === REHEARSAL_NUMBER) return t.rehearsal;
  return number === 0 ? t.not_certified : t.certificate({ number });
}

function described(state: SignerState, { signer: t, waiting }: Texts): string[] {
  const { certificate_number, key_version, public_key, host_signs, producer } = state;
  return [
    certificateText(certificate_number, t),
    ...(producer ? [t.producer({ name: producer.name, tax_id: producer.tax_id })] : []),
    (host_signs ? t.signed_by_file : t.signed_under)({ version: Number(key_version) }),
    ...(certificate_number > 0 && !host_signs ? [waiting.key_in_database] : []),
    ...(public_key ? [public_key.trimEnd()] : []),
  ];
}
