/** Storage errors, by what the caller should do about them. */
import { type Text, texts } from "../texts/texts.ts";

/**
 * - `busy`: the database takes no more at the moment; trying again helps.
 * - `held`: another transaction holds what this one needs, and went on holding it; nothing was written.
 * - `full`: no room; nothing was written and reads go on.
 * - `broken`: an I/O error or a damaged file. Whether a commit reached the disk is unknown, so nothing may be
 *   written until a restart has recovered the file.
 * - `lost`: the connection to a server ended. Whether a commit was made is unknown; the next call connects anew.
 * - `deadlock`: a server ended one of two transactions that waited for each other; it was undone and is tried again.
 * - `aborted`: a statement of the transaction failed before, so the server takes no more of it.
 * - `unusable`: the file cannot be opened or is not a Lacre database, or memory ran out; nothing was written.
 */
export type StorageTrouble = "busy" | "held" | "aborted" | "full" | "broken" | "lost" | "deadlock" | "unusable";

/** Faults that Lacre itself finds in a database. */
export const STORAGE = texts({
  schema_is_empty: ["A base de dados está vazia.", "The database is empty."],
  schema_is_older: [
    "A base de dados tem um esquema mais antigo; o lacre serve atualiza-a, e antes faz cópia de segurança de um ficheiro.",
    "The database has an older schema; lacre serve brings it up to date, and backs a file up before.",
  ],
  schema_is_newer: [
    "A base de dados foi escrita por um Lacre mais recente; este é demasiado antigo para a abrir.",
    "The database was written by a newer Lacre; this one is too old to open it.",
  ],
  schema_is_other: [
    "A base de dados foi criada por outra compilação do Lacre, com outro esquema; abra-a com essa.",
    "The database was made by another build of Lacre, with another schema; open it with that build.",
  ],
  schema_is_foreign: [
    "A base de dados tem tabelas que não são do Lacre: {tables}{others}. Dê ao Lacre um ficheiro só dele.",
    "The database holds tables that are not Lacre's: {tables}{others}. Give Lacre a file of its own.",
  ],
  sqlite_is_old: [
    "O SQLite {version} pode perder o que gravou; é preciso o {needed}.",
    "SQLite {version} can lose commits; {needed} is needed.",
  ],
  setting_is_refused: [
    "A base de dados recusa {name}: está em {value}.",
    "The database refuses {name}: it is at {value}.",
  ],
  server_is_old: [
    "O servidor não serve: é preciso o PostgreSQL 13 ou mais recente.",
    "The server cannot be used: PostgreSQL 13 or newer is needed.",
  ],
  server_loses_commits: [
    "O servidor não serve: synchronous_commit está desligado, e uma falha perderia documentos já confirmados.",
    "The server cannot be used: synchronous_commit is off: a crash would lose acknowledged documents.",
  ],
  server_loses_pages: [
    "O servidor não serve: fsync ou full_page_writes está desligado, e um corte de energia danificaria a base de dados.",
    "The server cannot be used: fsync or full_page_writes is off: a power cut would damage the database.",
  ],
  server_encodes: [
    "O servidor não serve: a base de dados está codificada em {encoding}, não em UTF8.",
    "The server cannot be used: the database is encoded in {encoding}, not in UTF8.",
  ],
  and_others: [" e mais {count}", " and {count} more"],
});

/** How the schema of a database compares with the one this program knows. */
export type SchemaState = "empty" | "older" | "current" | "newer" | "other_text" | "foreign";

/** The error (`unusable`) with one of these texts; `schema` is its state where that is the reason. */
export const unusable = (text: Text, schema?: SchemaState): StorageError =>
  new StorageError("unusable", text.in("en"), undefined, text, schema);

/** Thrown by `openLacre` and the drivers when the storage fails; `cause` is the database's own error. */
export class StorageError extends Error {
  /** What the caller should do about it. */
  readonly trouble: StorageTrouble;
  /** The text of `message`, in every language. */
  readonly text: Text | undefined;
  /** The state of the schema, where that is the reason. */
  readonly schema: SchemaState | undefined;

  constructor(trouble: StorageTrouble, message: string, cause?: unknown, text?: Text, schema?: SchemaState) {
    super(message, { cause });
    this.name = "StorageError";
    this.trouble = trouble;
    this.text = text;
    this.schema = schema;
  }
}
