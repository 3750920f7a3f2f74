/** What the refusals of this room say. */
import { texts } from "../texts/texts.ts";

export const t = texts({
  archive_is_none: ["Isto não é um arquivo do Lacre.", "This is not an archive of Lacre."],
  archive_is_cut_off: [
    "Este arquivo está cortado: falta-lhe o fim. Copie-o de novo ou tire outro.",
    "This archive is cut off: its end is missing. Copy it again, or take another.",
  ],
  archive_is_damaged: [
    "Este arquivo está danificado. Copie-o de novo ou tire outro.",
    "This archive is damaged. Copy it again, or take another.",
  ],
  archive_is_bloated: [
    "Isto não é um arquivo escrito pelo Lacre: descomprimido, é muito maior do que poderia ser.",
    "This is no archive that Lacre wrote: it unpacks to far more than it could hold.",
  ],
  archive_was_changed: [
    "Este arquivo foi alterado depois de tirado: o seu SHA-256 é de outro conteúdo. Tire outro arquivo.",
    "This archive was changed after it was taken: its SHA-256 is of other content. Take another.",
  ],
  archive_is_newer: [
    "Este arquivo foi tirado por um Lacre mais recente ({lacre}); este é antigo de mais para o ler.",
    "This archive was taken by a newer Lacre ({lacre}); this one is too old to read it.",
  ],
  archive_is_of_other_build: [
    "Este arquivo foi tirado por outra compilação do Lacre ({lacre}), com outro esquema; use essa para o repor.",
    "This archive was taken by another build of Lacre ({lacre}), with another schema; unarchive it with that build.",
  ],
  archive_row_does_not_fit: [
    "Este arquivo tem uma linha que não foi o Lacre a guardar («{reason}»).",
    "This archive holds a row that Lacre did not store ({reason}).",
  ],
  archive_lacks_rows: [
    "Este arquivo declara {stated} linhas de {table} e tem {found}.",
    "This archive states {stated} rows of {table} and holds {found}.",
  ],
  archive_ends_otherwise: [
    "Este arquivo declara {number} como o último da sua série e tem outra coisa.",
    "This archive states {number} as the last of its series, and holds something else.",
  ],
  archive_is_not_whole: [
    "O que este arquivo contém não está íntegro ({place}: «{reason}»).",
    "What this archive holds is not whole. {place}: {reason}",
  ],
  database_is_not_empty: [
    "A base de dados não está vazia: um arquivo lê-se para uma nova.",
    "The database is not empty: an archive is read into a new one.",
  ],
});
